//! The resources of a cluster as a graph: those of one kind that have equally far to go are one box.

use std::collections::BTreeMap;

use super::Kind;
use super::families::Family;
use super::picture::{Captions, svg_of};
use super::text::{dot_of, mermaid_of};

const CAPTIONS: Captions = Captions {
    title: "The resources of a cluster, and what each refers to",
    kinds: &[
        (Kind::Input, "yours"),
        (Kind::File, "the cluster's"),
        (Kind::Value, "removed once the control plane runs"),
    ],
};

/// What of a cluster a resource belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// It exists before, and stays.
    Given,
    /// It is the cluster's.
    Cluster,
    /// It is removed once the control plane runs.
    Bootstrap,
}

impl Part {
    fn kind(self) -> Kind {
        match self {
            Self::Given => Kind::Input,
            Self::Cluster => Kind::File,
            Self::Bootstrap => Kind::Value,
        }
    }
}

/// A resource.
#[derive(Clone, Debug)]
pub struct Resource<'a> {
    /// Its name, such as `subnet/private-us-east-1a`.
    pub name: &'a str,
    /// Its kind, such as `subnet`.
    pub kind: &'a str,
    /// What of the cluster it belongs to.
    pub part: Part,
    /// The names of the resources that it refers to.
    pub needs: Vec<&'a str>,
}

/// A graph of resources.
///
/// ```
/// use landfall_graph::{Part, Resource, Resources};
///
/// let of = |name, kind, needs| Resource { name, kind, part: Part::Cluster, needs };
/// let subnets = [of("subnet/a", "subnet", vec!["vpc/new"]), of("subnet/b", "subnet", vec!["vpc/new"])];
/// let graph = Resources::of(&[&[of("vpc/new", "vpc", vec![])], &subnets[..]].concat());
/// assert!(graph.mermaid().contains("n0[\"vpc/new\"]\n  n1[\"2 subnet\"]\n  n0 --> n1"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Resources(Vec<Group>);

/// Resources of one kind and part that are equally far from what refers to nothing.
#[derive(Clone, Debug)]
struct Group {
    label: String,
    part: Part,
    needs: Vec<usize>,
}

impl Resources {
    /// The graph of resources; those that another one refers to come before it, and what is not among them is left out.
    #[must_use]
    pub fn of(resources: &[Resource<'_>]) -> Self {
        let mut depths: BTreeMap<&str, usize> = BTreeMap::new();
        let mut homes: BTreeMap<&str, (usize, Part, &str)> = BTreeMap::new();
        let mut members: BTreeMap<(usize, Part, &str), Vec<&Resource<'_>>> = BTreeMap::new();
        for resource in resources {
            let last = resource.needs.iter().filter_map(|need| depths.get(need)).max();
            let depth = last.map_or(0, |last| last + 1);
            let home = (depth, resource.part, resource.kind);
            depths.insert(resource.name, depth);
            homes.insert(resource.name, home);
            members.entry(home).or_default().push(resource);
        }
        // Whatever a group needs is less deep, and therefore before it.
        let places: BTreeMap<(usize, Part, &str), usize> =
            members.keys().enumerate().map(|(at, home)| (*home, at)).collect();
        let group = |((_, part, kind), own): (&(usize, Part, &str), &Vec<&Resource<'_>>)| {
            let mut needs: Vec<usize> = own
                .iter()
                .flat_map(|resource| &resource.needs)
                .filter_map(|need| places.get(homes.get(need)?).copied())
                .collect();
            needs.sort_unstable();
            needs.dedup();
            let label = match own[..] {
                [one] => one.name.to_owned(),
                _ => format!("{} {kind}", own.len()),
            };
            Group { label, part: *part, needs }
        };
        Self(members.iter().map(group).collect())
    }

    /// In the DOT language of Graphviz: an arrow leads from a resource to what refers to it.
    #[must_use]
    pub fn dot(&self) -> String {
        dot_of(&self.families())
    }

    /// As a Mermaid flow chart.
    #[must_use]
    pub fn mermaid(&self) -> String {
        mermaid_of(&self.families())
    }

    /// As a picture in SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        svg_of(&self.families(), &CAPTIONS)
    }

    fn families(&self) -> Vec<Family<'_>> {
        let groups = self.0.iter();
        groups
            .map(|Group { label, part, needs }| Family {
                folder: "",
                kind: part.kind(),
                names: vec![label.as_str()],
                needs: needs.clone(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(name: &'a str, kind: &'a str, part: Part, needs: &[&'a str]) -> Resource<'a> {
        Resource { name, kind, part, needs: needs.to_vec() }
    }

    fn labels(graph: &Resources) -> Vec<(&str, &[usize])> {
        graph.0.iter().map(|group| (group.label.as_str(), group.needs.as_slice())).collect()
    }

    #[test]
    fn resources_of_a_kind_are_one_box_as_long_as_no_arrow_leads_back() {
        let graph = Resources::of(&[
            of("given-zone/x", "given-zone", Part::Given, &[]),
            of("vpc/new", "vpc", Part::Cluster, &[]),
            of("group/a", "group", Part::Cluster, &["vpc/new"]),
            of("group/b", "group", Part::Cluster, &["vpc/new"]),
            of("rule/a", "rule", Part::Cluster, &["group/a", "group/b"]),
            // The same kind, further away, and one of another part.
            of("group/c", "group", Part::Cluster, &["rule/a"]),
            of("group/d", "group", Part::Bootstrap, &["vpc/new"]),
            of("record/x", "record", Part::Cluster, &["given-zone/x", "elsewhere"]),
        ]);
        let expected: [(&str, &[usize]); 7] = [
            ("given-zone/x", &[]),
            ("vpc/new", &[]),
            ("2 group", &[1]),
            ("record/x", &[0]),
            ("group/d", &[1]),
            ("rule/a", &[2]),
            ("group/c", &[5]),
        ];
        assert_eq!(labels(&graph), expected);
        let svg = graph.svg();
        assert!(svg.contains(">2 group<") && svg.contains(">removed once the control plane runs<"), "{svg}");
        assert!(graph.dot().contains("n1 -> n2;"));
    }

    #[test]
    fn nothing_is_an_empty_picture() {
        assert!(Resources::of(&[]).svg().ends_with("</svg>\n"));
    }
}
