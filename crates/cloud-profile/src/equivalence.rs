//! Whether two parts of profiles are equivalent.
//!
//! Quantities count by value and times by instant; what is empty counts as left out, and a type as usable
//! unless it says otherwise. The order of lists counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::instant::instant;
use super::quantity::Quantity;
use super::types::{
    ContainerRuntimeInterface, InPlaceUpdates, Kubernetes, LifecycleStage, MachineImage, MachineImageVersion,
    MachineType, Storage, Version, VolumeType, Zone,
};

/// What can mean the same as another.
pub trait Meaning {
    /// Whether both mean the same.
    fn same(&self, other: &Self) -> bool;

    /// Whether it means the same as nothing at all.
    fn is_blank(&self) -> bool
    where
        Self: Default,
    {
        self.same(&Self::default())
    }
}

impl Meaning for bool {
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn is_blank(&self) -> bool {
        false
    }
}

impl Meaning for String {
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl Meaning for Quantity {
    fn same(&self, other: &Self) -> bool {
        Self::same(self, other)
    }
}

impl<T: Meaning + Default> Meaning for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(own), Some(others)) => own.same(others),
            (Some(one), None) | (None, Some(one)) => one.is_blank(),
            (None, None) => true,
        }
    }
}

impl<T: Meaning> Meaning for Arc<T> {
    fn same(&self, other: &Self) -> bool {
        (**self).same(other)
    }
}

impl<T: Meaning> Meaning for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(own, others)| own.same(others))
    }
}

impl<T: Meaning + Default> Meaning for BTreeMap<String, T> {
    fn same(&self, other: &Self) -> bool {
        self.iter().all(|(key, own)| other.get(key).map_or_else(|| own.is_blank(), |others| own.same(others)))
            && other.iter().all(|(key, others)| self.contains_key(key) || others.is_blank())
    }
}

impl Meaning for Value {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(own), Self::Object(others)) => {
                own.iter().all(|(key, value)| value.same(others.get(key).unwrap_or(&Self::Null)))
                    && others.iter().all(|(key, value)| own.contains_key(key) || value.is_blank())
            }
            (Self::Array(own), Self::Array(others)) => own.same(others),
            _ => self == other || (self.is_blank() && other.is_blank()),
        }
    }

    fn is_blank(&self) -> bool {
        match self {
            Self::Null => true,
            Self::String(text) => text.is_empty(),
            Self::Array(list) => list.is_empty(),
            Self::Object(map) => map.values().all(Self::is_blank),
            Self::Bool(_) | Self::Number(_) => false,
        }
    }
}

/// Whether two times are the same instant, or the same text where one is no time.
fn same_time(one: Option<&str>, other: Option<&str>) -> bool {
    let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
    one == other || instant(one).is_some_and(|time| instant(other) == Some(time))
}

/// Structs mean the same if all their fields do. Every field has to be named, those that are times and those
/// that hold unless they are false apart from the others.
macro_rules! fieldwise {
    ($($ty:ident {
        $($field:ident),* $(; times $($time:ident),*)? $(; unless_false $($flag:ident),*)?
    })*) => { $(
        impl Meaning for $ty {
            fn same(&self, other: &Self) -> bool {
                let Self { $($field,)* $($($time,)*)? $($($flag,)*)? } = self;
                true $(&& $field.same(&other.$field))*
                    $($(&& same_time($time.as_deref(), other.$time.as_deref()))*)?
                    $($(&& $flag.unwrap_or(true) == other.$flag.unwrap_or(true))*)?
            }
        }
    )* };
}

fieldwise! {
    Kubernetes { versions }
    Version { version, classification, lifecycle; times expiration_date }
    LifecycleStage { classification; times start_time }
    MachineImage { name, update_strategy, versions }
    MachineImageVersion {
        version, classification, lifecycle, cri, architectures, kubelet_version_constraint, in_place_updates,
        capability_flavors; times expiration_date
    }
    ContainerRuntimeInterface { name, container_runtimes }
    InPlaceUpdates { supported, min_version_for_update }
    MachineType {
        name, cpu, gpu, memory, storage, architecture, capabilities, machine_controller_manager;
        unless_false usable
    }
    Storage { class, kind, size, min_size }
    VolumeType { name, class, min_size; unless_false usable }
    Zone { name, unavailable_machine_types, unavailable_volume_types }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    fn same<T: Meaning + DeserializeOwned>(one: Value, other: Value) -> Option<bool> {
        let one: T = serde_json::from_value(one).ok()?;
        let other: T = serde_json::from_value(other).ok()?;
        Some(one.same(&other) && other.same(&one))
    }

    #[test]
    fn machine_types_are_compared_by_what_they_mean() {
        let with = |more: Value| {
            let mut ty = json!({"name": "m", "cpu": "4", "gpu": "0", "memory": "8Gi"});
            if let (Some(ty), Value::Object(more)) = (ty.as_object_mut(), more) {
                ty.extend(more);
            }
            ty
        };
        for more in [
            json!({}),
            json!({"cpu": "4000m", "memory": "8192Mi", "gpu": 0}),
            json!({"usable": true}),
            json!({"storage": {}, "architecture": "", "capabilities": {"a": []}}),
            json!({"machineControllerManager": {"settings": {}, "labels": null}}),
            json!({"storage": null}),
        ] {
            assert_eq!(same::<MachineType>(with(json!({})), with(more.clone())), Some(true), "{more}");
        }
        for more in [
            json!({"cpu": "4k"}),
            json!({"usable": false}),
            json!({"architecture": "arm64"}),
            json!({"storage": {"class": "c", "type": "t", "size": "1Gi"}}),
            json!({"capabilities": {"a": ["b"]}}),
            json!({"machineControllerManager": {"settings": {"a": 1}}}),
        ] {
            assert_eq!(same::<MachineType>(with(json!({})), with(more.clone())), Some(false), "{more}");
        }
    }

    #[test]
    fn what_is_said_not_to_be_is_said() {
        let version = |updates: Value| json!({ "version": "1", "inPlaceUpdates": updates });
        let same = |one, other| same::<MachineImageVersion>(version(one), version(other));
        assert_eq!(same(json!({ "supported": false }), json!({})), Some(false));
        assert_eq!(same(json!({ "supported": false }), Value::Null), Some(false));
        assert_eq!(same(json!({}), Value::Null), Some(true));
    }

    #[test]
    fn times_are_compared_by_instant() {
        let version = |date: &str| json!({"version": "1", "expirationDate": date});
        let same = |one: &str, other: &str| same::<Version>(version(one), version(other));
        assert_eq!(same("2024-06-06T01:02:03Z", "2024-06-06T03:02:03+02:00"), Some(true));
        assert_eq!(same("2024-06-06T01:02:03Z", "2024-06-06T01:02:04Z"), Some(false));
        assert_eq!(same("", "2024-06-06T01:02:03Z"), Some(false));
        assert_eq!(same("soon", "later"), Some(false));
        assert_eq!(same("soon", "soon"), Some(true));
    }

    #[test]
    fn the_order_of_lists_counts() {
        let version = |architectures: Value| json!({"version": "1", "architectures": architectures});
        let same = |one, other| same::<MachineImageVersion>(version(one), version(other));
        assert_eq!(same(json!(["amd64", "arm64"]), json!(["arm64", "amd64"])), Some(false));
        assert_eq!(same(json!(["amd64"]), json!(["amd64"])), Some(true));
        assert_eq!(same(json!([]), json!(null)), Some(true));
    }
}
