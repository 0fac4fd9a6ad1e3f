//! What a drawing shows: files of one folder that are made of the same are one box.

use super::{ASSETS, Asset, Kind};

/// Assets of one folder and kind that are made of the same, in the order of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Family<'a> {
    /// The folder with its slash; empty for what is in none.
    pub(super) folder: &'a str,
    pub(super) kind: Kind,
    /// The names, without the folder.
    pub(super) names: Vec<&'a str>,
    /// The families that these are made of, as positions in the list.
    pub(super) needs: Vec<usize>,
}

/// Every asset in its family; those that others need come first.
pub(super) fn families() -> Vec<Family<'static>> {
    let mut families: Vec<(&[&str], Family<'static>)> = Vec::new();
    let mut homes: Vec<usize> = Vec::new();
    for asset in ASSETS.iter() {
        let (folder, name) = split(asset);
        let known = families.iter().position(|(needs, family)| {
            let is_file = asset.kind == Kind::File && !folder.is_empty();
            is_file
                && (family.folder, family.kind) == (folder, asset.kind)
                && *needs == asset.needs.as_slice()
        });
        if let Some((at, (_, family))) = known.and_then(|at| Some((at, families.get_mut(at)?))) {
            family.names.push(name);
            homes.push(at);
            continue;
        }
        let mut needs: Vec<usize> = Vec::new();
        for need in &asset.needs {
            let home = ASSETS.iter().position(|other| other.name == *need).and_then(|at| homes.get(at));
            if let Some(home) = home.filter(|home| !needs.contains(home)) {
                needs.push(*home);
            }
        }
        homes.push(families.len());
        families
            .push((asset.needs.as_slice(), Family { folder, kind: asset.kind, names: vec![name], needs }));
    }
    families.into_iter().map(|(_, family)| family).collect()
}

/// The folders of the families, each once.
pub(super) fn folders<'a>(families: &[Family<'a>]) -> Vec<&'a str> {
    let mut folders: Vec<&'a str> = Vec::new();
    for family in families.iter().filter(|family| !family.folder.is_empty()) {
        if !folders.contains(&family.folder) {
            folders.push(family.folder);
        }
    }
    folders
}

/// The first folder of a file with its slash, and the rest of the name.
fn split(asset: &Asset) -> (&'static str, &'static str) {
    match (asset.kind, asset.name.find('/')) {
        (Kind::File, Some(at)) => asset.name.split_at(at + 1),
        _ => ("", asset.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_asset_is_in_one_family_and_every_family_has_an_arrow() {
        let families = families();
        let names: usize = families.iter().map(|family| family.names.len()).sum();
        assert_eq!(names, ASSETS.len());
        for (at, family) in families.iter().enumerate() {
            let leads_on = families.iter().any(|other| other.needs.contains(&at));
            assert!(leads_on || !family.needs.is_empty(), "{:?} has no arrow", family.names);
            assert!(family.needs.iter().all(|need| *need < at), "{:?}", family.names);
        }
        assert_eq!(folders(&families), ["auth/", "manifests/", "openshift/", "terraform/"]);
    }
}
