//! The rules of the platform's own fields.

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::toy::config::MachinePool;
use landfall_rules::Case;

const REGION: Code = Code::new("LF9901");
const MACHINE_TYPE: Code = Code::new("LF9902");
const NATIVE: Code = Code::new("LF9903");

pub(super) fn check_platform(case: &Case<'_>, out: &mut Findings) {
    let Some(section) = &case.config.platform.toy else { return };
    if section.region.is_empty() {
        out.push(Finding::error(&REGION, Kind::Required, "platform.toy.region", "the region is missing"));
    } else if !case.catalogue.toy.regions.contains_key(&section.region) {
        out.push(unknown_region(&section.region));
    }
    check_pool(case, "platform.toy.defaultMachinePlatform", section.default_machine_platform.as_ref(), out);
}

pub(super) fn check_pools(case: &Case<'_>, out: &mut Findings) {
    for (path, pool) in case.config.pools() {
        check_pool(case, &format!("{path}.platform.toy"), pool.platform.toy.as_ref(), out);
    }
}

fn check_pool(case: &Case<'_>, path: &str, pool: Option<&MachinePool>, out: &mut Findings) {
    let types = &case.catalogue.toy.machine_types;
    let named = pool.map(|pool| pool.machine_type.as_str()).filter(|name| !name.is_empty());
    if let Some(name) = named.filter(|name| !types.contains_key(*name)) {
        let message = format!("the toy cloud has no machine type `{}`", shortened(name));
        out.push(Finding::error(&MACHINE_TYPE, Kind::NotSupported, format!("{path}.type"), message));
    }
}

pub(super) fn unknown_region(region: &str) -> Finding {
    let message = format!("unknown region `{}`", shortened(region));
    Finding::error(&REGION, Kind::NotSupported, "platform.toy.region", message)
}

/// Another engine than landfall itself creates no clusters.
pub(super) fn native_alone() -> Finding {
    Finding::error(&NATIVE, Kind::NotSupported, "platform.toy", "only the native engine creates clusters")
        .help("use `--engine native`")
}
