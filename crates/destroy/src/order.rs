//! The order of removal: the resources of a cluster as a graph without cycles.

use std::collections::BTreeMap;
use std::mem::replace;

use landfall_platform::removal::{Disposition, Resource};

use super::Wave;

/// Which things wait for which, by their places in a list. Things that wait for each other in a circle do
/// not: the cloud says of each whether it goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Indexes of the resources that a resource waits for.
    pub after: Vec<Vec<usize>>,
    /// Indexes of the resources that wait for a resource.
    pub before: Vec<Vec<usize>>,
    /// Length of the longest chain before a resource.
    levels: Vec<usize>,
    /// Length of the longest chain behind a resource.
    heights: Vec<usize>,
}

impl Order {
    /// The order of some resources. Dependencies on other resources are ignored.
    pub(super) fn of<'t>(things: impl Iterator<Item = &'t Resource>) -> Self {
        let things: Vec<&Resource> = things.collect();
        let places: BTreeMap<&str, usize> =
            things.iter().enumerate().map(|(place, thing)| (thing.id.as_str(), place)).collect();
        let known = |thing: &&Resource| {
            let mut known: Vec<usize> =
                thing.after.iter().filter_map(|id| places.get(id.as_str()).copied()).collect();
            known.sort_unstable();
            known.dedup();
            known
        };
        let mut after: Vec<Vec<usize>> = things.iter().map(known).collect();
        let knots = knots(&after);
        for (place, others) in after.iter_mut().enumerate() {
            others.retain(|other| knots[*other] != knots[place]);
        }
        let before = reversed(&after);
        // A resource's component has a lower number than the components of what it waits for.
        let mut last_first: Vec<usize> = (0..things.len()).collect();
        last_first.sort_by_key(|place| knots[*place]);
        let levels = lengths(&after, last_first.iter().rev());
        let heights = lengths(&before, last_first.iter());
        Self { after, before, levels, heights }
    }

    /// Length of the longest chain behind a resource; 0 where it is unknown.
    pub(super) fn height(&self, place: usize) -> usize {
        self.heights.get(place).copied().unwrap_or_default()
    }

    /// The resources in waves: each as early as its dependencies allow, those that go last behind all others.
    pub(super) fn waves(&self, things: &[Resource]) -> Vec<Wave> {
        let levels = self.levels_of(things);
        let count = levels.iter().max().map_or(0, |most| most + 1);
        let mut waves = vec![Wave { things: Vec::new() }; count];
        for (thing, level) in things.iter().zip(levels) {
            waves[level].things.push(thing.clone());
        }
        waves
    }

    /// The wave of each resource. What goes last begins behind all others that do not wait for it.
    fn levels_of(&self, things: &[Resource]) -> Vec<usize> {
        // The dependencies of a resource come before it.
        let mut order: Vec<usize> = (0..things.len()).collect();
        order.sort_by_key(|place| self.levels[*place]);
        let mut waits = vec![false; things.len()];
        for place in &order {
            let is_last = |other: &usize| waits[*other] || goes_last(&things[*other]);
            waits[*place] = self.after[*place].iter().any(is_last);
        }
        let free = order.iter().filter(|place| !waits[**place] && !goes_last(&things[**place]));
        let behind = free.map(|place| self.levels[*place] + 1).max().unwrap_or_default();
        let mut levels = vec![0; things.len()];
        for place in order {
            let least = if goes_last(&things[place]) { behind } else { 0 };
            let waited = self.after[place].iter().map(|other| levels[*other] + 1).max().unwrap_or_default();
            levels[place] = least.max(waited);
        }
        levels
    }
}

/// Whether a resource goes last: it identifies the cluster, or is only shared.
pub(super) fn goes_last(thing: &Resource) -> bool {
    thing.kind.last || thing.fate == Disposition::Released
}

fn reversed(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (place, others) in edges.iter().enumerate() {
        for other in others {
            reversed[*other].push(place);
        }
    }
    reversed
}

/// The length of the longest chain that begins at each place, which comes in an order in which every place
/// comes after those that its edges lead to.
fn lengths<'p>(edges: &[Vec<usize>], order: impl Iterator<Item = &'p usize>) -> Vec<usize> {
    let mut lengths = vec![0; edges.len()];
    for place in order {
        lengths[*place] = edges[*place].iter().map(|other| lengths[*other] + 1).max().unwrap_or(0);
    }
    lengths
}

/// For each place the number of its knot: places that can be reached from each other have the same one. An
/// edge between knots leads to the higher number.
fn knots(edges: &[Vec<usize>]) -> Vec<Option<usize>> {
    let back = reversed(edges);
    let mut knots: Vec<Option<usize>> = vec![None; edges.len()];
    let mut count = 0;
    for root in left(edges).into_iter().rev() {
        if knots[root].is_some() {
            continue;
        }
        let mut near = vec![root];
        while let Some(place) = near.pop() {
            if knots[place].replace(count).is_none() {
                near.extend(back[place].iter().filter(|other| knots[**other].is_none()));
            }
        }
        count += 1;
    }
    knots
}

/// The places in the order in which a walk along the edges leaves them for good.
fn left(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut left = Vec::with_capacity(edges.len());
    for root in 0..edges.len() {
        let mut way = Vec::new();
        if !replace(&mut seen[root], true) {
            way.push((root, 0));
        }
        while let Some((place, edge)) = way.pop() {
            match edges[place].get(edge) {
                Some(next) => {
                    way.push((place, edge + 1));
                    if !replace(&mut seen[*next], true) {
                        way.push((*next, 0));
                    }
                }
                None => left.push(place),
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use landfall_platform::removal::Kind;

    const KIND_OF_ALL: Kind = Kind { name: "thing", batch: 1, help: "", last: false };
    static KIND: Kind = KIND_OF_ALL;

    /// Resources by number, with the numbers of those that each waits for.
    fn things(after: &[Vec<usize>]) -> Vec<Resource> {
        let thing = |(id, after): (usize, &Vec<usize>)| Resource {
            id: id.to_string(),
            kind: &KIND,
            name: String::new(),
            fate: Disposition::Removed,
            after: after.iter().map(ToString::to_string).collect(),
        };
        after.iter().enumerate().map(thing).collect()
    }

    fn waves(after: &[Vec<usize>]) -> Vec<Vec<String>> {
        let things = things(after);
        let waves = Order::of(things.iter()).waves(&things);
        waves.into_iter().map(|wave| wave.things.into_iter().map(|thing| thing.id).collect()).collect()
    }

    #[test]
    fn a_thing_stands_in_the_wave_behind_the_longest_chain() {
        assert_eq!(waves(&[]), Vec::<Vec<String>>::new());
        let diamond = [vec![1, 2], vec![3], vec![], vec![]];
        assert_eq!(waves(&diamond), [vec!["2", "3"], vec!["1"], vec!["0"]]);
        let things = things(&diamond);
        let order = Order::of(things.iter());
        assert_eq!([0, 1, 2, 3, 9].map(|place| order.height(place)), [0, 1, 1, 2, 0]);
    }

    #[test]
    fn what_waits_for_each_other_or_for_nobody_known_does_not_wait() {
        // 0 waits for the circle of 1 and 2, which waits for 3; 4 waits for itself and for something unknown.
        let circle = [vec![1], vec![2], vec![1, 3], vec![], vec![4, 77]];
        assert_eq!(waves(&circle), [vec!["1", "3", "4"], vec!["0", "2"]]);
    }

    #[test]
    fn traces_come_after_all_others_but_what_waits_for_them() {
        static TRACE: Kind = Kind { last: true, ..KIND_OF_ALL };
        // 0 waits for 1; the traces are 2, which waits for 3, and 3; 4 waits for 2.
        let mut things = things(&[vec![1], vec![], vec![3], vec![], vec![2]]);
        (things[2].kind, things[3].kind) = (&TRACE, &TRACE);
        let waves = Order::of(things.iter()).waves(&things);
        let ids: Vec<Vec<&str>> =
            waves.iter().map(|wave| wave.things.iter().map(|thing| thing.id.as_str()).collect()).collect();
        assert_eq!(ids, [vec!["1"], vec!["0"], vec!["3"], vec!["2"], vec!["4"]]);
    }

    #[test]
    fn long_chains_are_no_burden() {
        let chain: Vec<Vec<usize>> = (0..20_000).map(|n| vec![n + 1]).collect();
        assert_eq!(waves(&chain).len(), 20_000);
    }

    proptest! {
        #[test]
        fn every_thing_is_in_one_wave_behind_what_it_waits_for(
            after in vec(vec(0_usize..24, 0..4), 0..24)
        ) {
            let things = things(&after);
            let order = Order::of(things.iter());
            let waves = order.waves(&things);
            prop_assert_eq!(waves.iter().map(|wave| wave.things.len()).sum::<usize>(), things.len());
            prop_assert!(waves.iter().all(|wave| !wave.things.is_empty()));
            for (place, others) in order.after.iter().enumerate() {
                prop_assert!(others.iter().all(|other| order.levels[*other] < order.levels[place]));
                prop_assert!(others.iter().all(|other| order.height(*other) > order.height(place)));
            }
        }
    }
}
