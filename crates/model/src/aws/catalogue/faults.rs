//! What in the catalogue of AWS contradicts itself.

use std::collections::BTreeMap;

use regex_lite::Regex;

use super::{Catalogue, Partition, RECORD_TYPES};
use crate::catalogue::value::{Fault, Release, Wrong, architecture_fault};

impl Catalogue {
    /// What contradicts itself, among the partitions and in what releases refer to.
    pub(super) fn contradictions(&self, releases: &BTreeMap<String, Release>) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
        for (id, partition) in &self.partitions {
            Self::partition_faults(id, partition, &mut faults);
            for region in partition.regions.keys() {
                if let Some(other) = homes.insert(region, id) {
                    let message = format!("the region `{region}` belongs to `{other}` and to `{id}`");
                    let path = ["aws", "partitions", id, "regions", region];
                    faults.push(Fault::new(Wrong::Twice, &path, message));
                }
            }
        }
        self.zone_faults(&mut faults);
        self.architecture_faults(&mut faults);
        for (name, release) in releases {
            let rule = &release.instance_type_rule;
            if !rule.is_empty() && !self.default_instance_types.contains_key(rule) {
                let message = format!(
                    "release `{name}` has the rule `{rule}`, which is not a key of aws.defaultInstanceTypes"
                );
                let path = ["releases", name, "instanceTypeRule"];
                faults.push(Fault::new(Wrong::Reference, &path, message));
            }
            let set = &release.permission_rule;
            if !set.is_empty() && !self.permissions.contains_key(set) {
                let message =
                    format!("release `{name}` has the set `{set}`, which is not a key of aws.permissions");
                let path = ["releases", name, "permissionRule"];
                faults.push(Fault::new(Wrong::Reference, &path, message));
            }
        }
        faults
    }

    /// Zones that two regions have.
    fn zone_faults(&self, faults: &mut Vec<Fault>) {
        let mut homes: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        for (partition, region, zone) in self.partitions.iter().flat_map(|(partition, described)| {
            let regions = described.regions.iter();
            regions.flat_map(move |(id, region)| region.zones.iter().map(move |zone| (partition, id, zone)))
        }) {
            let here = (partition.as_str(), region.as_str());
            let there = *homes.entry(zone).or_insert(here);
            if there == here {
                continue;
            }
            // A zone begins with the name of its region: the other one is wrong about it.
            let is_wrong = |(_, region): (&str, &str)| !zone.starts_with(region);
            let (wrong, right) =
                if is_wrong(there) && !is_wrong(here) { (there, here) } else { (here, there) };
            let message = format!("the zone `{zone}` belongs to `{}` and to `{}`", right.1, wrong.1);
            let path = ["aws", "partitions", wrong.0, "regions", wrong.1, "zones"];
            faults.push(Fault::new(Wrong::Twice, &path, message));
        }
    }

    /// Architectures of instance types, and of rules for them, that no machine has.
    fn architecture_faults(&self, faults: &mut Vec<Fault>) {
        for (name, described) in &self.instance_types {
            let path = ["aws", "instanceTypes", name, "architecture"];
            faults.extend(architecture_fault(&path, &described.architecture));
        }
        for (name, rule) in &self.default_instance_types {
            for architecture in rule.architectures.keys() {
                let path = ["aws", "defaultInstanceTypes", name, "architectures", architecture];
                faults.extend(architecture_fault(&path, architecture));
            }
        }
    }

    /// Faults of one partition.
    fn partition_faults(id: &str, partition: &Partition, faults: &mut Vec<Fault>) {
        let at = ["aws", "partitions", id];
        if let Err(fault) = Regex::new(&partition.region_pattern) {
            let message = format!("`{}` is not a regular expression: {fault}", partition.region_pattern);
            faults.push(Fault::new(Wrong::Pattern, &[at[0], at[1], at[2], "regionPattern"], message));
        }
        let record = |path: &[&str], kind: &str| {
            let message =
                format!("`{kind}` is not a record type of the API; accepted: {}", RECORD_TYPES.join(", "));
            let known = kind.is_empty() || RECORD_TYPES.contains(&kind);
            (!known).then(|| Fault::new(Wrong::Choice, path, message))
        };
        faults.extend(record(&[at[0], at[1], at[2], "apiRecordType"], &partition.api_record_type));
        for (name, region) in &partition.regions {
            let kind = region.api_record_type.as_deref().unwrap_or_default();
            let path = [at[0], at[1], at[2], "regions", name, "apiRecordType"];
            faults.extend(record(&path, kind));
        }
        let source = partition.image_copy_from.as_deref();
        if let Some(source) = source.filter(|source| !partition.regions.contains_key(*source)) {
            let message = format!("images are copied from `{source}`, which is not a region of `{id}`");
            faults.push(Fault::new(Wrong::Reference, &[at[0], at[1], at[2], "imageCopyFrom"], message));
        }
    }
}
