//! What in the catalogue of AWS contradicts itself.

use std::collections::BTreeMap;

use regex_lite::Regex;

use super::{Catalogue, Partition, RECORD_TYPES};
use crate::catalogue::value::{Fault, Release, Wrong};

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
