//! What is known of the toy cloud without asking it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::catalogue::value::{Allowance, Fault, Image, Listing, Part, Release, shipped};
use crate::config::value::model;

const CATALOGUE: &str = include_str!("data/catalogue.json");

model! {
    /// What is known of the toy cloud.
    pub struct Catalogue {
        /// Regions by id.
        pub regions: BTreeMap<String, Region>,
        /// Processors of machine types, by type.
        pub machine_types: BTreeMap<String, u32>,
        /// Machine type of pools without one.
        pub default_machine_type: String,
    }

    /// A region.
    pub struct Region {
        /// Name for people.
        pub display_name: String,
        /// Zones.
        pub zones: Vec<String>,
    }
}

impl Part for Catalogue {
    fn shipped() -> Self {
        shipped(CATALOGUE)
    }

    fn listings(&self) -> Vec<Listing<'_>> {
        let all = self.regions.iter();
        all.map(|(id, region)| Listing { id, name: &region.display_name, listed: true, offered: true })
            .collect()
    }

    fn image_in(_: &Value) -> Option<Image> {
        None
    }

    fn allow(&mut self, _: &Allowance) {}

    fn faults(&self, _: &BTreeMap<String, Release>) -> Vec<Fault> {
        Vec::new()
    }
}
