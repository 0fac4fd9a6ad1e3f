//! What clusters lose when what they may use changes, judged on profiles that are joined with their parents.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use landfall_diagnostics::shortened;
use serde::Deserialize;
use serde_json::Value;

use super::shoots::{Shoot, Worker};
use super::usage::{above, in_use, most_nodes};
use super::{ProfileKind, Refusal, Request, Why};
use crate::order::Entry;
use crate::released;
use crate::released::lifecycle::{Expirable, listed};
use crate::render::render;
use crate::types::{CloudProfileSpec, NamespacedCloudProfileSpec, PrivateCloudProfileSpec, Region, Zone};

/// What clusters use and could not use any longer.
#[derive(Debug, Default)]
pub struct Loss {
    kubernetes: BTreeSet<String>,
    images: BTreeSet<String>,
    machine_types: BTreeSet<String>,
    volume_types: BTreeSet<String>,
    regions: BTreeSet<String>,
    zones: BTreeSet<String>,
    /// Machine types in zones that lack them.
    lacking: BTreeSet<String>,
    limits: BTreeSet<String>,
}

impl Loss {
    /// Adds what these clusters use, may use `before`, and may not use `after`. An expired version may not be used.
    /// Without `before`, everything was offered.
    pub fn add<'a>(
        &mut self,
        before: Option<&CloudProfileSpec>,
        after: &CloudProfileSpec,
        shoots: impl IntoIterator<Item = &'a Shoot>,
        now: Timestamp,
    ) {
        let before = before.map(|before| Offer::of(before, now));
        let after = Offer::of(after, now);
        let is_new_limit = before.as_ref().is_none_or(|before| before.most_nodes != after.most_nodes);
        for shoot in shoots {
            let is_lost =
                |offers: &dyn Fn(&Offer<'_>) -> bool| !offers(&after) && before.as_ref().is_none_or(offers);
            let by = |what: &str| format!("`{}` by {}", shortened(what), shoot.shown());
            let lost = |what: &str, offers: &dyn Fn(&Offer<'_>) -> bool| {
                (!what.is_empty() && is_lost(offers)).then(|| by(what))
            };
            let version = shoot.kubernetes.as_str();
            self.kubernetes.extend(lost(version, &|offer| offer.kubernetes.contains(version)));
            let region = shoot.region.as_str();
            self.regions.extend(lost(region, &|offer| offer.regions.contains_key(region)));
            for zone in &shoot.zones {
                // A region that goes is told already, and takes its zones along.
                let is_offered = before.as_ref().is_none_or(|before| before.zone(region, zone) == Some(true));
                if is_offered && after.zone(region, zone) == Some(false) {
                    let (zone, region) = (shortened(zone), shortened(region));
                    self.zones.insert(format!("zone `{zone}` of `{region}` by {}", shoot.shown()));
                }
            }
            for Worker { machine_type, image, volume_type, zones, .. } in &shoot.workers {
                let machine = machine_type.as_deref().unwrap_or_default();
                self.machine_types.extend(lost(machine, &|offer| offer.is_for(shoot, machine)));
                for zone in zones {
                    let is_offered = |offer: &Offer<'_>| offer.is_in_zone(shoot, zone, machine) == Some(true);
                    // A type or a zone that goes is told already.
                    if before.as_ref().is_none_or(is_offered)
                        && after.is_in_zone(shoot, zone, machine) == Some(false)
                    {
                        let (machine, zone) = (shortened(machine), shortened(zone));
                        let (region, user) = (shortened(region), shoot.shown());
                        self.lacking.insert(format!("`{machine}` in zone `{zone}` of `{region}` by {user}"));
                    }
                }
                let volume = volume_type.as_deref().unwrap_or_default();
                self.volume_types.extend(lost(volume, &|offer| offer.volume_types.contains(volume)));
                if let Some((name, version)) = image {
                    let image = (name.as_str(), version.as_str());
                    let lost = is_lost(&|offer| offer.images.get(&image) == Some(&true));
                    let (name, version) = (shortened(name), shortened(version));
                    let use_of = || format!("`{name}` `{version}` by {}", shoot.shown());
                    self.images.extend(lost.then(use_of));
                }
            }
            if let Some(most) = after.most_nodes.filter(|_| is_new_limit) {
                self.limits.extend(above(most, std::iter::once(shoot)));
            }
        }
    }

    /// What stands against the change of a profile, or of a cloud profile, field by field.
    #[must_use]
    pub fn refusals(mut self) -> Vec<Refusal> {
        self.regions.append(&mut self.zones);
        self.regions.append(&mut self.lacking);
        let all = [
            in_use("spec.kubernetes.versions", self.kubernetes),
            in_use("spec.machineImages", self.images),
            in_use("spec.machineTypes", self.machine_types),
            in_use("spec.volumeTypes", self.volume_types),
            in_use("spec.regions", self.regions),
            in_use("spec.limits.maxNodesTotal", self.limits),
        ];
        all.into_iter().flatten().collect()
    }

    /// What stands against a cluster's new reference to a profile, all of it. The reference is in this field.
    #[must_use]
    pub fn of_reference(mut self, field: &str) -> Vec<Refusal> {
        self.machine_types.append(&mut self.lacking);
        let refused = |why, what: &str, uses: BTreeSet<String>| {
            let refusal = in_use(field, uses)?;
            Some(Refusal { why, message: format!("{what} not offered, {}", refusal.message), ..refusal })
        };
        let all = [
            refused(Why::InUse, "Kubernetes version", self.kubernetes),
            refused(Why::MachineImageMissing, "machine image", self.images),
            refused(Why::MachineTypeMissing, "machine type", self.machine_types),
            refused(Why::VolumeTypeMissing, "volume type", self.volume_types),
            refused(Why::InUse, "region", self.regions),
            refused(Why::InUse, "zone", self.zones),
            refused(Why::InUse, "number of nodes", self.limits),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Whether a change of a cloud profile can take anything from those who use profiles that inherit from it. In a private
/// profile the parent is preferred, so that an entry that the parent adds can take as well.
#[must_use]
pub fn takes(old: &CloudProfileSpec, new: &CloudProfileSpec, now: Timestamp) -> bool {
    // A version that has expired may have a later date in a profile that inherits it.
    let kept: BTreeSet<&str> = listed(new.kubernetes.as_ref()).iter().map(Entry::key).collect();
    let is_dropped = listed(old.kubernetes.as_ref()).iter().any(|one| !kept.contains(one.key()));
    let (old, new) = (Offer::of(old, now), Offer::of(new, now));
    is_dropped
        || !old.kubernetes.is_subset(&new.kubernetes)
        || restricts(&old.images, &new.images)
        || !old.machine_types.is_subset(&new.machine_types)
        || restricts(&old.usable_types, &new.usable_types)
        || !old.volume_types.is_subset(&new.volume_types)
        // Zones are joined with those of the profile, and where none is left, the profile's are the only ones.
        || old.regions != new.regions
        || old.most_nodes != new.most_nodes
}

/// Whether an entry may no longer be used, or is added and may not be used.
fn restricts<K: Ord>(old: &BTreeMap<K, bool>, new: &BTreeMap<K, bool>) -> bool {
    let mut all = old.keys().chain(new.keys());
    all.any(|key| old.get(key) != Some(&false) && new.get(key) != Some(&true))
}

/// What stands against a change of a profile: what clusters that refer to it would lose. Of profiles of the released
/// kind, Gardener protects less, by [`super::usage()`].
#[must_use]
pub fn losses(request: &Request<'_>, shoots: &[Shoot]) -> Vec<Refusal> {
    let Some(parent) = request.parent else { return Vec::new() };
    let joined = |object: &Value| joined(request.kind, parent, object);
    let (Some(before), Some(after)) = (request.old.and_then(joined), joined(request.object)) else {
        return Vec::new();
    };
    let text = |path: &str| request.object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
    let is_user = |shoot: &&Shoot| shoot.namespace == namespace && shoot.refers_to(request.kind.name(), name);
    let mut loss = Loss::default();
    loss.add(Some(&before), &after, shoots.iter().filter(is_user), request.now);
    loss.refusals()
}

/// What a profile offers together with its parent; none where it cannot be read.
#[must_use]
pub fn joined(kind: ProfileKind, parent: &CloudProfileSpec, object: &Value) -> Option<CloudProfileSpec> {
    let spec = object.get("spec")?;
    Some(match kind {
        ProfileKind::Private => render(parent, &PrivateCloudProfileSpec::deserialize(spec).ok()?).spec,
        ProfileKind::Released => {
            released::render(parent, &NamespacedCloudProfileSpec::deserialize(spec).ok()?)
        }
    })
}

/// The zones of a region, each with the machine types that it lacks, in small letters: no cloud has two types that
/// differ in capitals alone.
type Zones<'a> = BTreeMap<&'a str, BTreeSet<String>>;

/// What a profile offers at an instant.
struct Offer<'a> {
    kubernetes: BTreeSet<&'a str>,
    /// The versions of images, and whether they may be used.
    images: BTreeMap<(&'a str, &'a str), bool>,
    machine_types: BTreeSet<&'a str>,
    /// The machine types in small letters, and whether they may be used for machines to come.
    usable_types: BTreeMap<String, bool>,
    volume_types: BTreeSet<&'a str>,
    /// The regions with their zones; any zone where none is named.
    regions: BTreeMap<&'a str, Zones<'a>>,
    most_nodes: Option<i64>,
}

impl<'a> Offer<'a> {
    fn of(spec: &'a CloudProfileSpec, now: Timestamp) -> Self {
        let versions = listed(spec.kubernetes.as_ref()).iter();
        let images = spec.machine_images.iter().flat_map(|image| {
            let key = |version: &'a str| (image.name.as_str(), version);
            image.versions.iter().map(move |one| (key(&one.version), !one.is_expired(now)))
        });
        // Of several with one name, planning takes the first.
        let machines = spec.machine_types.iter().rev();
        let usable = machines.map(|one| (one.name.to_ascii_lowercase(), one.usable.unwrap_or(true)));
        let lacking = |zone: &Zone| {
            zone.unavailable_machine_types.iter().map(|name| name.to_ascii_lowercase()).collect()
        };
        let zones = |region: &'a Region| {
            region.zones.iter().map(|zone| (zone.name.as_str(), lacking(zone))).collect()
        };
        Self {
            kubernetes: versions.filter(|one| !one.is_expired(now)).map(|one| one.version.as_str()).collect(),
            images: images.collect(),
            machine_types: spec.machine_types.iter().map(Entry::key).collect(),
            volume_types: spec.volume_types.iter().map(Entry::key).collect(),
            usable_types: usable.collect(),
            regions: spec.regions.iter().map(|region| (region.key(), zones(region))).collect(),
            most_nodes: most_nodes(spec.limits.as_ref()),
        }
    }

    /// Whether a zone of a region may be used; none where the region may not.
    fn zone(&self, region: &str, zone: &str) -> Option<bool> {
        self.regions.get(region).map(|zones| zones.is_empty() || zones.contains_key(zone))
    }

    /// Whether a zone of the cluster's region has a machine type; none where the cluster may not use the zone or the
    /// type at all.
    fn is_in_zone(&self, shoot: &Shoot, zone: &str, machine: &str) -> Option<bool> {
        let region = shoot.region.as_str();
        let is_usable = self.zone(region, zone) == Some(true) && self.is_for(shoot, machine);
        let lacking = self.regions.get(region).and_then(|zones| zones.get(zone));
        is_usable.then(|| lacking.is_none_or(|lacking| !lacking.contains(&machine.to_ascii_lowercase())))
    }

    /// Whether a cluster may use a machine type. An `AzureInfrastructure` is planned again and again, so that one that
    /// is not usable is lost to it, and Azure ignores the case of names; Gardener keeps the machines of a Shoot.
    fn is_for(&self, shoot: &Shoot, machine: &str) -> bool {
        if shoot.is_infrastructure() {
            return self.usable_types.get(&machine.to_ascii_lowercase()) == Some(&true);
        }
        self.machine_types.contains(machine)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const DATE: &str = "2030-01-01T00:00:00Z";

    fn parent() -> Value {
        json!({
            "kubernetes": { "versions": [{ "version": "1.2.3", "expirationDate": "1970-01-01T00:00:00Z" }] },
            "machineTypes": [{ "name": "of-parent" }],
            "regions": [{ "name": "north" }],
        })
    }

    fn private() -> Value {
        let version = |version: &str| json!([{ "version": version, "expirationDate": DATE }]);
        json!({
            "parent": "p",
            "kubernetes": { "versions": version("1.2.3") },
            "machineImages": [{ "name": "i", "versions": version("1.0.0") }],
            "machineTypes": [{ "name": "own" }],
            "volumeTypes": [{ "name": "v" }],
            "regions": [{ "name": "south" }],
        })
    }

    fn shoot(namespace: &str) -> Shoot {
        Shoot::of(&json!({
            "metadata": { "name": "s", "namespace": namespace },
            "spec": {
                "cloudProfile": { "kind": "PrivateCloudProfile", "name": "c" },
                "region": "south",
                "kubernetes": { "version": "1.2.3" },
                "provider": { "workers": [
                    { "machine": { "type": "own", "image": { "name": "i", "version": "1.0.0" } },
                      "volume": { "type": "v" }, "minimum": 3 },
                    { "machine": { "type": "of-parent" } },
                ] },
            },
        }))
    }

    /// A day after the parent's version expired.
    fn now() -> Timestamp {
        Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(24)
    }

    fn fields(new: &Value, shoot: Shoot) -> serde_json::Result<Vec<String>> {
        let object = |spec: &Value| json!({ "metadata": { "name": "c", "namespace": "n" }, "spec": spec });
        let (old, object) = (object(&private()), object(new));
        let parent = serde_json::from_value(parent())?;
        let kind = ProfileKind::Private;
        let request = Request { kind, object: &object, old: Some(&old), parent: Some(&parent), now: now() };
        Ok(super::super::usage(&request, &[shoot]).into_iter().map(|refusal| refusal.field).collect())
    }

    #[test]
    fn what_clusters_use_of_a_private_profile_stays() -> serde_json::Result<()> {
        assert_eq!(
            fields(&json!({ "parent": "p", "limits": { "maxNodesTotal": 2 } }), shoot("n"))?,
            [
                "spec.kubernetes.versions",
                "spec.machineImages",
                "spec.machineTypes",
                "spec.volumeTypes",
                "spec.regions",
                "spec.limits.maxNodesTotal",
            ]
        );
        assert!(fields(&json!({ "parent": "p" }), shoot("other"))?.is_empty(), "of another project");
        assert!(fields(&private(), shoot("n"))?.is_empty());
        let mut grown = private();
        grown["limits"] = json!({ "maxNodesTotal": 3 });
        grown["regions"] = json!([{ "name": "west" }, { "name": "south" }]);
        assert!(fields(&grown, shoot("n"))?.is_empty());
        // An earlier date takes the version as well.
        let mut shortened = private();
        shortened["kubernetes"]["versions"][0]["expirationDate"] = json!("1970-01-01T12:00:00Z");
        assert_eq!(fields(&shortened, shoot("n"))?, ["spec.kubernetes.versions"]);
        Ok(())
    }

    #[test]
    fn a_parent_takes_only_what_the_profile_does_not_have_itself() -> serde_json::Result<()> {
        let (old, private) = (serde_json::from_value(parent())?, serde_json::from_value(private())?);
        let lost = |new: Value| -> serde_json::Result<(bool, Vec<String>)> {
            let new: CloudProfileSpec = serde_json::from_value(new)?;
            let mut loss = Loss::default();
            let (before, after) = (render(&old, &private).spec, render(&new, &private).spec);
            loss.add(Some(&before), &after, [&shoot("n")], now());
            let fields = loss.refusals().into_iter().map(|refusal| refusal.field).collect();
            Ok((takes(&old, &new, now()), fields))
        };
        assert_eq!(lost(parent())?, (false, Vec::new()));
        // The profile keeps a version only while its parent has it, and its date counts.
        let mut without = parent();
        without["kubernetes"]["versions"] = json!([]);
        assert_eq!(lost(without)?, (true, vec!["spec.kubernetes.versions".to_owned()]));
        let mut without = parent();
        without["machineTypes"] = json!([{ "name": "other" }]);
        assert_eq!(lost(without)?, (true, vec!["spec.machineTypes".to_owned()]));
        let mut without = parent();
        without["regions"] = json!([]);
        assert_eq!(lost(without)?, (true, Vec::new()), "nothing runs there");
        Ok(())
    }

    #[test]
    fn a_new_reference_names_all_that_is_missing() -> serde_json::Result<()> {
        let (parent, private) = (serde_json::from_value(parent())?, serde_json::from_value(private())?);
        let before = render(&parent, &private).spec;
        let why = |before: Option<&CloudProfileSpec>| {
            let mut loss = Loss::default();
            loss.add(before, &parent, [&shoot("n")], now());
            loss.of_reference("spec.cloudProfile")
                .into_iter()
                .map(|refusal| refusal.why.name())
                .collect::<Vec<_>>()
        };
        let all =
            ["in-use", "machine-image-missing", "machine-type-missing", "volume-type-missing", "in-use"];
        assert_eq!(why(Some(&before)), all);
        assert_eq!(why(None), all, "what was offered before is unknown");
        assert!(why(Some(&parent)).is_empty(), "what was not offered before either is not lost");
        Ok(())
    }

    #[test]
    fn an_infrastructure_keeps_its_zones_and_usable_types() -> serde_json::Result<()> {
        let spec = |zones: Value, usable: bool| -> serde_json::Result<CloudProfileSpec> {
            serde_json::from_value(json!({
                "machineTypes": [{ "name": "m", "usable": usable }, { "name": "other" }],
                "regions": [{ "name": "north", "zones": zones }],
            }))
        };
        let two = || json!([{ "name": "1" }, { "name": "2" }]);
        let infrastructure = Shoot::of_infrastructure(&json!({
            "metadata": { "name": "demo", "namespace": "n" },
            "status": { "region": "north", "zones": ["1", "2"], "machineTypes": ["m"] },
        }));
        let shoot = Shoot::of(&json!({
            "metadata": { "name": "s", "namespace": "n" },
            "spec": { "region": "north", "provider": { "workers": [{ "machine": { "type": "m" } }] } },
        }));
        let lost = |old: &CloudProfileSpec, new: &CloudProfileSpec| {
            let mut loss = Loss::default();
            loss.add(Some(old), new, [&shoot, &infrastructure], now());
            let told = loss.refusals().into_iter().map(|one| format!("{}: {}", one.field, one.message));
            (takes(old, new, now()), told.collect::<Vec<_>>())
        };
        let zone =
            "spec.regions: still in use: zone `2` of `north` by AzureInfrastructure `n/demo`".to_owned();
        let machine = "spec.machineTypes: still in use: `m` by AzureInfrastructure `n/demo`".to_owned();
        let one = || json!([{ "name": "1" }]);
        let old = spec(two(), true)?;
        assert_eq!(lost(&old, &spec(one(), true)?), (true, vec![zone.clone()]));
        assert_eq!(lost(&spec(json!([]), true)?, &spec(one(), true)?), (true, vec![zone]), "any zone before");
        assert_eq!(lost(&old, &spec(json!([]), true)?), (true, Vec::new()), "any zone now");
        assert_eq!(lost(&old, &spec(two(), false)?), (true, vec![machine]));
        assert_eq!(lost(&spec(one(), false)?, &spec(one(), false)?), (false, Vec::new()), "nothing changes");
        // A zone keeps the types that are used in it, whatever their capitals, and new zones may lack any.
        let lacking = |name: &str, types: Value| json!({ "name": name, "unavailableMachineTypes": types });
        let without = |types: Value| spec(json!([{ "name": "1" }, lacking("2", types)]), true);
        let place = "spec.regions: still in use: `m` in zone `2` of `north` by AzureInfrastructure `n/demo`";
        assert_eq!(lost(&old, &without(json!(["other", "M"]))?), (true, vec![place.to_owned()]));
        assert_eq!(lost(&old, &without(json!(["other"]))?), (true, Vec::new()), "not used there");
        assert_eq!(lost(&without(json!(["m"]))?, &without(json!(["M"]))?), (false, Vec::new()), "as before");
        let third = json!([{ "name": "1" }, { "name": "2" }, lacking("3", json!(["m"]))]);
        assert_eq!(lost(&old, &spec(third, true)?), (true, Vec::new()));
        let referring = |infrastructure: &Shoot, types: Value| -> serde_json::Result<Vec<Why>> {
            let mut reference = Loss::default();
            reference.add(None, &without(types)?, [infrastructure], now());
            Ok(reference.of_reference("spec.cloudProfileRef").iter().map(|one| one.why).collect())
        };
        assert_eq!(referring(&infrastructure, json!(["m"]))?, [Why::MachineTypeMissing]);
        // Each type in the zones of its own pools.
        let apart = Shoot::of_infrastructure(&json!({
            "metadata": { "name": "demo", "namespace": "n" },
            "status": {
                "region": "north", "zones": ["1", "2"], "machineTypes": ["m", "other"],
                "machines": [{ "type": "m", "zones": ["1"] }, { "type": "other", "zones": ["2"] }],
            },
        }));
        assert!(referring(&apart, json!(["m"]))?.is_empty());
        assert_eq!(referring(&apart, json!(["other"]))?, [Why::MachineTypeMissing]);
        let mut change = Loss::default();
        change.add(Some(&old), &without(json!(["m"]))?, [&apart], now());
        assert!(change.refusals().is_empty());
        // A region that goes is reported once.
        let mut without = spec(two(), true)?;
        without.regions.clear();
        let region =
            "spec.regions: still in use: `north` by AzureInfrastructure `n/demo`, `north` by Shoot `n/s`";
        assert_eq!(lost(&old, &without), (true, vec![region.to_owned()]));
        Ok(())
    }

    #[test]
    fn azure_ignores_the_case_of_machine_types() -> serde_json::Result<()> {
        let spec = |machine_types: Value, lacking: Value| -> serde_json::Result<CloudProfileSpec> {
            let zones = json!([{ "name": "1", "unavailableMachineTypes": lacking }]);
            let regions = json!([{ "name": "north", "zones": zones }]);
            serde_json::from_value(json!({ "machineTypes": machine_types, "regions": regions }))
        };
        let status = json!({ "region": "north", "zones": ["1"], "machineTypes": ["Standard_D8s_v5"] });
        let metadata = json!({ "name": "demo", "namespace": "n" });
        let infrastructure = Shoot::of_infrastructure(&json!({ "metadata": metadata, "status": status }));
        let workers = json!([{ "machine": { "type": "standard_d8s_v5" } }]);
        let shoot = json!({ "metadata": metadata, "spec": { "provider": { "workers": workers } } });
        let shoot = Shoot::of(&shoot);
        let named =
            |names: &[&str]| json!(names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>());
        let old = spec(named(&["standard_d8s_v5"]), json!([]))?;
        let lost = |user: &Shoot, new: &CloudProfileSpec| {
            let mut loss = Loss::default();
            loss.add(Some(&old), new, [user], now());
            let fields: Vec<String> = loss.refusals().into_iter().map(|refusal| refusal.field).collect();
            (takes(&old, new, now()), fields.join(" "))
        };
        let unusable = || json!([{ "name": "standard_d8s_v5", "usable": false }]);
        let respelt = spec(named(&["Standard_D8s_v5"]), json!([]))?;
        // The first of two entries counts.
        let mut both = unusable();
        both.as_array_mut().into_iter().for_each(|both| both.push(json!({ "name": "Standard_D8s_v5" })));
        for (new, fields) in [
            (&old, ""),
            (&respelt, ""),
            (&spec(named(&[]), json!([]))?, "spec.machineTypes"),
            (&spec(unusable(), json!([]))?, "spec.machineTypes"),
            (&spec(both, json!([]))?, "spec.machineTypes"),
            (&spec(named(&["standard_d8s_v5"]), json!(["Standard_D8s_v5"]))?, "spec.regions"),
        ] {
            let (takes, found) = lost(&infrastructure, new);
            assert_eq!(found, fields, "{new:?}");
            assert!(takes || fields.is_empty(), "{new:?}");
        }
        assert_eq!(lost(&shoot, &respelt), (true, "spec.machineTypes".to_owned()), "not in Azure");
        let mut reference = Loss::default();
        reference.add(None, &old, [&infrastructure], now());
        assert!(reference.of_reference("spec.cloudProfileRef").is_empty());
        Ok(())
    }
}
