//! What EC2 has of a cluster.
//!
//! Each sort of thing is asked for only if tags name one of it, or if a VPC is the cluster's, in which nearly
//! everything goes with it.

#[macro_use]
mod described;
mod ask;
mod machines;
mod network;
mod storage;

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::{
    Address, CarrierGateway, DhcpOptions, EgressOnlyInternetGateway, Host, Image, Instance, InternetGateway,
    NatGateway, NetworkInterface, PlacementGroup, RouteTable, SecurityGroup, ServiceConfiguration, Snapshot,
    Subnet, Tag, Volume, Vpc, VpcEndpoint, VpcPeeringConnection,
};
use futures::future::join_all;
use futures::join;
use landfall_platform::cloud::Waiting;

pub(in crate::removal) use self::ask::{Ask, with_any};
pub(in crate::removal) use self::described::Described;

use self::described::pairs;
use super::{Look, NAMED, Part, is_denied};
use crate::gather::filter;
use crate::removal::graph::Node;
use crate::removal::named::Whose;
use crate::removal::ownership::SHARED;
use crate::removal::{kinds, named, pages};
use crate::session::Lost;
use landfall_platform::removal::Disposition;

/// The sorts of things that are looked at here, as ARNs name them.
pub(super) const SORTS: &[&str] = &[
    Address::SORT,
    CarrierGateway::SORT,
    DhcpOptions::SORT,
    EgressOnlyInternetGateway::SORT,
    Host::SORT,
    Image::SORT,
    Instance::SORT,
    InternetGateway::SORT,
    NatGateway::SORT,
    NetworkInterface::SORT,
    PlacementGroup::SORT,
    RouteTable::SORT,
    SecurityGroup::SORT,
    ServiceConfiguration::SORT,
    Snapshot::SORT,
    Subnet::SORT,
    Volume::SORT,
    Vpc::SORT,
    VpcEndpoint::SORT,
    VpcPeeringConnection::SORT,
];

/// How the ids of elastic IPs begin.
const ADDRESS: &str = "eipalloc-";

/// The VPCs that matter for a cluster.
#[derive(Debug, Default)]
pub(super) struct Vpcs {
    /// Those that are its own.
    pub(super) owned: BTreeSet<String>,
    /// Those that it has anything in.
    pub(super) used: BTreeSet<String>,
}

/// Everything of EC2, and the VPCs.
pub(super) async fn ec2(look: Look<'_>) -> (Part, Vpcs) {
    let none = BTreeSet::new();
    let mut part = Box::pin(of::<Vpc>(look, &none)).await;
    let owned =
        part.nodes.iter().filter(|node| node.fate == Disposition::Removed).map(|node| node.key.clone());
    let owned: BTreeSet<String> = owned.collect();
    let others: Vec<Waiting<'_, Part>> = vec![
        Box::pin(of::<Instance>(look, &owned)),
        Box::pin(of::<Volume>(look, &owned)),
        Box::pin(of::<NetworkInterface>(look, &owned)),
        Box::pin(of::<Address>(look, &owned)),
        Box::pin(subnets(look, &owned)),
        Box::pin(of::<RouteTable>(look, &owned)),
        Box::pin(of::<SecurityGroup>(look, &owned)),
        Box::pin(of::<VpcEndpoint>(look, &owned)),
        Box::pin(of::<InternetGateway>(look, &owned)),
        Box::pin(of::<NatGateway>(look, &owned)),
        Box::pin(of::<EgressOnlyInternetGateway>(look, &owned)),
        Box::pin(of::<CarrierGateway>(look, &owned)),
        Box::pin(of::<VpcPeeringConnection>(look, &owned)),
        Box::pin(of::<DhcpOptions>(look, &owned)),
        Box::pin(of::<ServiceConfiguration>(look, &owned)),
        Box::pin(of::<Host>(look, &owned)),
        Box::pin(of::<PlacementGroup>(look, &owned)),
    ];
    let (others, (images, snapshots)) = join!(join_all(others), Box::pin(storage(look, &owned)));
    for other in others.into_iter().chain([images, snapshots]) {
        part.take(other);
    }
    let addresses = Box::pin(untagged_addresses(look, &part)).await;
    part.take(found_or_missed("the addresses of NAT gateways", addresses));
    let own_key = |node: &Node| (*node.kind == kinds::VPC).then(|| node.key.clone());
    let used = part.nodes.iter().filter_map(|node| node.vpc.clone().or_else(|| own_key(node))).collect();
    (part, Vpcs { owned, used })
}

/// Elastic IPs without a tag that the cluster's NAT gateways use. They are somebody's for good, and may have been
/// lent to the cluster.
async fn untagged_addresses(look: Look<'_>, found: &Part) -> Result<Part, Lost> {
    let known: BTreeSet<&str> = found.nodes.iter().map(|node| node.key.as_str()).collect();
    let gateways = found.nodes.iter().filter(|node| *node.kind == kinds::NAT_GATEWAY);
    let mut users: BTreeMap<&str, &str> = BTreeMap::new();
    for gateway in gateways.filter(|node| node.fate == Disposition::Removed) {
        let named = gateway.mentions.iter().map(String::as_str);
        let own = named.filter(|id| id.starts_with(ADDRESS) && !known.contains(id));
        users.extend(own.map(|id| (id, gateway.key.as_str())));
    }
    let mut part = Part::default();
    let ids: Vec<&str> = users.keys().copied().collect();
    let found = with_any::<Address>(&look.removal.session, "allocation-id", &ids).await?;
    let is_anybodys = |one: &&Address| look.removal.ownership.others(pairs(one.tags())).is_empty();
    for (id, gateway) in found.iter().filter(is_anybodys).filter_map(|one| {
        let id = one.allocation_id()?;
        Some((id, users.get(id)?))
    }) {
        let why = format!("the cluster's NAT gateway {gateway} uses it");
        part.doubt(look, id, &format!("elastic IP {id}"), &why);
    }
    Ok(part)
}

/// What was found. Who may not look at it is told so: there may be something.
fn found_or_missed(what: &str, found: Result<Part, Lost>) -> Part {
    found.unwrap_or_else(|lost| Part::missed(what, &lost))
}

/// The cluster's images: those with its tag, and the one with the name of its copy. EC2 tags a copy once it is made.
async fn images(look: Look<'_>, owned: &BTreeSet<String>) -> Part {
    let (mut part, copies) = join!(Box::pin(of::<Image>(look, owned)), Box::pin(copies(look)));
    part.take(found_or_missed("the copied image", copies));
    part
}

async fn copies(look: Look<'_>) -> Result<Part, Lost> {
    let removal = look.removal;
    let infra_id = &removal.target.infra_id;
    let names: Vec<String> = named::IMAGES.iter().map(|end| format!("{infra_id}{end}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut part = Part::default();
    let found: Vec<Image> = with_any(&removal.session, "name", &names).await?;
    for image in found.iter().filter(|image| image.name().is_some_and(|name| names.contains(&name))) {
        // Those with a tag are known by it.
        if removal.ownership.fate(pairs(image.tags())).is_some() {
            continue;
        }
        let name = image.name().unwrap_or_default();
        match named::whose(&removal.ownership, infra_id, name, named::IMAGES, pairs(image.tags())) {
            Whose::Cluster(fate) => part.nodes.extend(node(look, image, fate)),
            Whose::Unproven => {
                let id = image.image_id().unwrap_or_default();
                let arn = look.home.ec2(Image::SORT, id);
                part.doubt(look, &arn, &format!("image {id} ({name})"), NAMED);
            }
            Whose::Other => {}
        }
    }
    Ok(part)
}

/// The snapshots that were made for a copied image, by its id: a copy that is not finished does not name them.
async fn of_copy(look: Look<'_>, image: &str) -> Result<Vec<String>, Lost> {
    let made_for = format!("Copied for DestinationAmi {image} *");
    let found = with_any::<Snapshot>(&look.removal.session, "description", &[made_for.as_str()]).await?;
    // Not every server that plays AWS keeps to the filter.
    let start = made_for.trim_end_matches('*');
    let is_it = |one: &&Snapshot| one.description().is_some_and(|text| text.starts_with(start));
    Ok(found.iter().filter(is_it).filter_map(Snapshot::snapshot_id).map(str::to_owned).collect())
}

/// Notes the snapshots that were made for an image. Who may not look for them knows those that the image names
/// itself, as a finished copy does.
fn with_snapshots(image: &mut Node, copied: Result<Vec<String>, Lost>) -> Result<(), Lost> {
    match copied {
        Ok(more) => {
            let new: Vec<String> = more.into_iter().filter(|id| !image.mentions.contains(id)).collect();
            image.mentions.extend(new);
            Ok(())
        }
        Err(lost) if is_denied(&lost) && !image.mentions.is_empty() => Ok(()),
        Err(lost) => Err(lost),
    }
}

/// Images, and snapshots with those that belong to a cluster's image. These carry no tag of the cluster, and only the
/// image names them: an image whose snapshots could not be looked at is left out, so that it goes after they are known.
async fn storage(look: Look<'_>, owned: &BTreeSet<String>) -> (Part, Part) {
    let (mut images, mut snapshots) =
        join!(Box::pin(images(look, owned)), Box::pin(of::<Snapshot>(look, owned)));
    let mut held = BTreeSet::new();
    for image in images.nodes.iter_mut().filter(|node| node.fate == Disposition::Removed) {
        let copied = Box::pin(of_copy(look, &image.key)).await;
        if let Err(lost) = with_snapshots(image, copied) {
            snapshots.miss("the snapshots of images", &lost);
            held.insert(image.key.clone());
        }
    }
    images.nodes.retain(|node| !held.contains(&node.key));
    let known: BTreeSet<&str> = snapshots.nodes.iter().map(|node| node.key.as_str()).collect();
    let removed = images.nodes.iter().filter(|node| node.fate == Disposition::Removed);
    let untagged = removed.map(|node| {
        let own = node.mentions.iter().filter(|id| !known.contains(id.as_str()));
        (node.key.clone(), own.cloned().collect::<Vec<String>>())
    });
    let untagged: BTreeMap<String, Vec<String>> = untagged.collect();
    let of_images: BTreeSet<String> = untagged.values().flatten().cloned().collect();
    if of_images.is_empty() {
        return (images, snapshots);
    }
    let ids: Vec<&str> = of_images.iter().map(String::as_str).collect();
    match with_any::<Snapshot>(&look.removal.session, "snapshot-id", &ids).await {
        Ok(found) => {
            let ownership = &look.removal.ownership;
            for snapshot in found.iter().filter(|one| one.id().is_some_and(|id| of_images.contains(id))) {
                if ownership.fate(pairs(snapshot.tags())).is_none()
                    && !ownership.is_of_another(pairs(snapshot.tags()))
                {
                    snapshots.nodes.extend(node(look, snapshot, Disposition::Removed));
                }
            }
        }
        // An installation needs no right to look at snapshots; an image's own are known by the image.
        Err(lost) if is_denied(&lost) => {
            for id in &of_images {
                let arn = look.home.ec2(Snapshot::SORT, id);
                snapshots.nodes.push(Node::new(Snapshot::KIND, id, arn, Disposition::Removed));
            }
        }
        Err(lost) => {
            snapshots.miss("the snapshots of images", &lost);
            images.nodes.retain(|node| untagged.get(&node.key).is_none_or(Vec::is_empty));
        }
    }
    // Those of other clusters get no tag of this one.
    let ours: BTreeSet<&str> = snapshots.nodes.iter().map(|node| node.key.as_str()).collect();
    images.known.images = untagged
        .into_iter()
        .map(|(image, own)| (image, own.into_iter().filter(|id| ours.contains(id.as_str())).collect()))
        .collect();
    (images, snapshots)
}

/// Subnets, and what is to be said where other clusters use them.
async fn subnets(look: Look<'_>, owned: &BTreeSet<String>) -> Part {
    let found = match Box::pin(sought::<Subnet>(look, owned)).await {
        Ok(found) => found,
        // Nobody knows then whether another cluster uses them.
        Err(lost) => return Part::missed("subnets", &lost),
    };
    let mut used = Vec::new();
    for subnet in &found {
        let others = others(look, subnet.tags());
        if fate(look, owned, subnet) == Some(Disposition::Removed) && !others.is_empty() {
            used.push(pages::used_by_others(subnet.id().unwrap_or_default(), &others));
        }
    }
    let mut part = gathered(look, owned, Ok(found));
    part.notes.extend(used);
    part
}

/// The other clusters that something is shared with.
fn others(look: Look<'_>, tags: &[Tag]) -> Vec<String> {
    let others = look.removal.ownership.others(pairs(tags)).into_iter();
    others.filter(|(_, value)| *value == SHARED).map(|(id, _)| id.to_owned()).collect()
}

/// All of one sort.
async fn of<T: Ask>(look: Look<'_>, owned: &BTreeSet<String>) -> Part {
    let found = Box::pin(sought::<T>(look, owned)).await;
    gathered(look, owned, found)
}

/// What EC2 has of one sort that may be the cluster's: all in its VPCs, and whatever carries its tags
/// besides.
async fn sought<T: Ask>(look: Look<'_>, owned: &BTreeSet<String>) -> Result<Vec<T>, Lost> {
    let session = &look.removal.session;
    let mut found = match T::IN_VPC.filter(|_| !owned.is_empty()) {
        Some(name) => {
            let vpcs: Vec<&str> = owned.iter().map(String::as_str).collect();
            with_any::<T>(session, name, &vpcs).await?
        }
        None => Vec::new(),
    };
    let seen: BTreeSet<String> = found.iter().filter_map(T::id).map(str::to_owned).collect();
    let unseen = look.claims.of_ec2(T::SORT).filter(|(id, _)| !seen.contains(*id));
    let keys: BTreeSet<&str> = unseen.map(|(_, claim)| claim.key.as_str()).collect();
    if !keys.is_empty() {
        let tagged = T::ask(session, filter("tag-key", keys)).await?;
        found.extend(tagged.into_iter().filter(|one| one.id().is_some_and(|id| !seen.contains(id))));
    }
    Ok(found)
}

/// What of it is the cluster's. Who may not look at things still knows them by the tags that EC2 has.
fn gathered<T: Ask>(look: Look<'_>, owned: &BTreeSet<String>, found: Result<Vec<T>, Lost>) -> Part {
    let mut part = Part::default();
    match found {
        Ok(found) => {
            for one in &found {
                if let Some(fate) = fate(look, owned, one) {
                    one.learn(&mut part.known);
                    let swept = !is_tagged(look, one);
                    part.nodes.extend(node(look, one, fate).map(|node| Node { swept, ..node }));
                }
            }
        }
        Err(lost) => {
            for (id, claim) in look.claims.of_ec2(T::SORT).filter(|(_, claim)| claim.first_hand) {
                part.nodes.push(Node::new(T::KIND, id, look.home.ec2(T::SORT, id), claim.fate));
            }
            if !is_denied(&lost) || (T::IN_VPC.is_some() && !owned.is_empty()) {
                part.miss(&format!("resources of type {}", T::KIND.name), &lost);
            }
        }
    }
    part
}

fn is_tagged<T: Described>(look: Look<'_>, one: &T) -> bool {
    look.removal.ownership.fate(pairs(one.tags())).is_some()
}

/// What becomes of something; none where it is not the cluster's, or not there any more.
fn fate<T: Ask>(look: Look<'_>, owned: &BTreeSet<String>, one: &T) -> Option<Disposition> {
    let ownership = &look.removal.ownership;
    let swept = || {
        let inside = T::IN_VPC.is_some() && one.vpc().is_some_and(|vpc| owned.contains(vpc));
        (inside && !ownership.is_of_another(pairs(one.tags()))).then_some(Disposition::Removed)
    };
    let fate = ownership.fate(pairs(one.tags())).or_else(swept);
    fate.filter(|_| !one.is_gone())
}

fn node<T: Described>(look: Look<'_>, one: &T, fate: Disposition) -> Option<Node> {
    let id = one.id().filter(|_| !one.is_gone())?;
    let mut node = Node::new(T::KIND, id, look.home.ec2(T::SORT, id), fate);
    let name = one.tags().iter().find(|tag| tag.key() == Some("Name")).and_then(Tag::value);
    name.unwrap_or_default().clone_into(&mut node.name);
    node.mentions = one.mentions().into_iter().map(str::to_owned).collect();
    node.vpc = one.vpc().map(str::to_owned);
    node.mentions.extend(node.vpc.clone());
    one.refine(&mut node);
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, Sort};

    fn denied() -> Lost {
        Lost::Fault(Fault {
            call: "ec2:DescribeImages".to_owned(),
            sort: Sort::Denied,
            code: Some("UnauthorizedOperation".to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(403),
        })
    }

    #[test]
    fn what_the_caller_may_not_look_at_is_missed() {
        let part = found_or_missed("the copied image", Err(denied()));
        let said: Vec<&str> = part.unseen.iter().map(|finding| finding.message.as_str()).collect();
        assert!(matches!(said.as_slice(), [one] if one.starts_with("the copied image cannot be read")));
        assert!(found_or_missed("the copied image", Ok(Part::default())).unseen.is_empty());
    }

    #[test]
    fn the_snapshots_of_an_unfinished_copy_must_be_looked_for() {
        let image = |mentions: &[&str]| Node {
            mentions: mentions.iter().map(|id| (*id).to_owned()).collect(),
            ..Node::new(&kinds::IMAGE, "ami-1", "ami-1".to_owned(), Disposition::Removed)
        };
        assert!(with_snapshots(&mut image(&["snap-1"]), Err(denied())).is_ok());
        assert!(with_snapshots(&mut image(&[]), Err(denied())).is_err());
        let mut named = image(&["snap-1"]);
        let more = vec!["snap-1".to_owned(), "snap-2".to_owned()];
        assert!(with_snapshots(&mut named, Ok(more)).is_ok());
        assert_eq!(named.mentions, ["snap-1", "snap-2"]);
    }
}
