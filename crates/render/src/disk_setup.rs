//! What the operating system does with data disks at its first start, from `diskSetup` of the pools.

use landfall_model::config::DiskSetup;
use landfall_model::plan::Plan;
use serde_json::{Value, json};

use super::{DataDevice, PlatformAssets};

/// Where etcd keeps its data.
const ETCD: &str = "/var/lib/etcd";
/// The type of a partition for swapping: see
/// <https://uapi-group.org/specifications/specs/discoverable_partitions_specification/>.
const SWAP_PARTITION: &str = "0657FD6D-A4AB-43C4-84E5-0933C84B4F4F";

/// A machine config: its name, the role that it is for, and its ignition config.
pub(super) type Config = (String, &'static str, Value);

/// One machine config for each setup that has a disk.
pub(super) fn configs(plan: &Plan, assets: &PlatformAssets) -> Vec<Config> {
    let control_plane = plan.config.control_plane.iter().map(|pool| ("master", pool));
    let compute = plan.config.compute.iter().map(|pool| ("worker", pool));
    let mut configs = Vec::new();
    for (role, pool) in control_plane.chain(compute) {
        for setup in &pool.disk_setup {
            let device = setup.disk().and_then(|disk| device(&assets.data_devices, role, disk));
            if let Some((label, ignition)) = device.and_then(|device| ignition(setup, device)) {
                configs.push((format!("01-disk-setup-{label}-{role}"), role, ignition));
            }
        }
    }
    configs
}

fn device<'d>(devices: &'d [DataDevice], role: &str, disk: &str) -> Option<&'d str> {
    let of = devices.iter().find(|device| device.role == role && device.disk == disk);
    of.map(|device| device.path.as_str())
}

/// The label of a setup's partition, and the config that makes it.
fn ignition(setup: &DiskSetup, device: &str) -> Option<(String, Value)> {
    let (label, path) = match setup.kind.as_str() {
        "etcd" => ("etcd", Some(ETCD)),
        "swap" => ("swap", None),
        "user-defined" => {
            let disk = setup.user_defined.as_ref()?;
            (disk.platform_disk_id.as_str(), Some(disk.mount_path.as_str()))
        }
        _ => return None,
    };
    let label: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
    let partition = format!("/dev/disk/by-partlabel/{label}");
    let mut whole = json!({ "label": label, "sizeMiB": 0, "startMiB": 0 });
    let mut filesystem = json!({ "device": partition, "label": label });
    let unit = if let Some(path) = path {
        filesystem["format"] = "xfs".into();
        filesystem["mountOptions"] = json!(["defaults", "prjquota"]);
        filesystem["path"] = path.into();
        filesystem["wipeFilesystem"] = true.into();
        json!({ "contents": mount(&label, path), "enabled": true, "name": unit_name(path) })
    } else {
        whole["guid"] = SWAP_PARTITION.into();
        filesystem["format"] = "swap".into();
        let contents = format!("\n[Swap]\nWhat={partition}\n\n[Install]\nWantedBy=swap.target\n");
        json!({ "contents": contents, "enabled": true, "name": r"dev-disk-by\x2dpartlabel-swap.swap" })
    };
    let disk = json!({ "device": device, "partitions": [whole], "wipeTable": true });
    let config = json!({
        "ignition": { "version": "3.2.0" },
        "storage": { "disks": [disk], "filesystems": [filesystem] },
        "systemd": { "units": [unit] },
    });
    Some((label, config))
}

/// The unit that mounts a partition after it was checked.
fn mount(label: &str, path: &str) -> String {
    let check = format!(r"systemd-fsck@dev-disk-by\x2dpartlabel-{label}.service");
    let unit = format!("[Unit]\nRequires={check}\nAfter={check}");
    let options = "Type=xfs\nOptions=defaults,prjquota";
    let mount = format!("[Mount]\nWhere={path}\nWhat=/dev/disk/by-partlabel/{label}\n{options}");
    format!("\n{unit}\n\n{mount}\n\n[Install]\nRequiredBy=local-fs.target\n")
}

/// The name that systemd wants of the unit of a path: see systemd.unit(5), escaping.
fn unit_name(path: &str) -> String {
    let mut name = String::new();
    for (n, byte) in path.trim_matches('/').bytes().enumerate() {
        match byte {
            b'/' => name.push('-'),
            b'.' if n > 0 => name.push('.'),
            b'_' | b':' => name.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => name.push(char::from(byte)),
            byte => name.extend(["\\x", &format!("{byte:02x}")]),
        }
    }
    format!("{name}.mount")
}

#[cfg(test)]
mod tests {
    use landfall_model::config::{Etcd, Swap, UserDefined};

    use super::*;

    fn made(setup: &DiskSetup) -> (String, Value) {
        ignition(setup, "/dev/disk/azure/scsi1/lun1").unwrap_or_default()
    }

    #[test]
    fn etcd_has_a_disk_of_its_own() {
        let etcd = Etcd { platform_disk_id: "fast".to_owned() };
        let setup = DiskSetup { kind: "etcd".to_owned(), etcd: Some(etcd), ..DiskSetup::default() };
        let (label, config) = made(&setup);
        assert_eq!(label, "etcd");
        let disk = json!({
            "device": "/dev/disk/azure/scsi1/lun1",
            "partitions": [{ "label": "etcd", "sizeMiB": 0, "startMiB": 0 }],
            "wipeTable": true,
        });
        assert_eq!(config["storage"]["disks"], json!([disk]));
        let filesystem = &config["storage"]["filesystems"][0];
        assert_eq!(filesystem["path"], "/var/lib/etcd");
        let unit = &config["systemd"]["units"][0];
        assert_eq!(unit["name"], "var-lib-etcd.mount");
        let contents = unit["contents"].as_str().unwrap_or_default();
        assert!(contents.contains("Where=/var/lib/etcd\nWhat=/dev/disk/by-partlabel/etcd\n"), "{contents}");
        assert!(contents.contains(r"systemd-fsck@dev-disk-by\x2dpartlabel-etcd.service"), "{contents}");
    }

    #[test]
    fn swap_is_not_mounted() {
        let swap = Swap { platform_disk_id: "swap".to_owned() };
        let setup = DiskSetup { kind: "swap".to_owned(), swap: Some(swap), ..DiskSetup::default() };
        let (label, config) = made(&setup);
        assert_eq!(label, "swap");
        assert_eq!(config["storage"]["disks"][0]["partitions"][0]["guid"], SWAP_PARTITION);
        assert_eq!(config["storage"]["filesystems"][0].get("path"), None);
        assert_eq!(config["systemd"]["units"][0]["name"], r"dev-disk-by\x2dpartlabel-swap.swap");
    }

    #[test]
    fn a_disk_of_the_user_is_mounted_where_they_say() {
        let disk =
            UserDefined { platform_disk_id: "my-data".to_owned(), mount_path: "/var/my-data".to_owned() };
        let kind = "user-defined".to_owned();
        let setup = DiskSetup { kind, user_defined: Some(disk), ..DiskSetup::default() };
        let (label, config) = made(&setup);
        assert_eq!(label, "mydata");
        assert_eq!(config["systemd"]["units"][0]["name"], r"var-my\x2ddata.mount");
        assert_eq!(unit_name("/.hidden"), r"\x2ehidden.mount");
    }
}
