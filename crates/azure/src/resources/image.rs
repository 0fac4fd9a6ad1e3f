//! The machines' image: a copy of the release's disk in the storage account, and a gallery that offers it. The gallery
//! has both generations of virtual machines, because the pools' sizes can differ in what they start from.

use landfall_platform::native::output;
use serde_json::{Value, json};

use super::Builder;
use super::kinds::CONTAINER;

/// Version of the interface for galleries.
const GALLERIES: &str = "2022-03-03";
/// Version of the interface for containers: that of the account's kind.
const CONTAINERS: &str = "2023-01-01";
const VHD: &str = "vhd";
/// The node of the container for the copy.
pub(super) const IMAGE_CONTAINER: &str = "container/vhd";

/// An image definition.
struct Definition {
    generation: &'static str,
    suffix: &'static str,
    publisher: &'static str,
    offer: &'static str,
    sku: &'static str,
}

const DEFINITIONS: [Definition; 2] = [
    Definition { generation: "V1", suffix: "", publisher: "RedHat", offer: "rhcos", sku: "basic" },
    Definition {
        generation: "V2",
        suffix: "-gen2",
        publisher: "RedHat-gen2",
        offer: "rhcos-gen2",
        sku: "gen2",
    },
];

impl Builder<'_> {
    /// Adds the image, where the cluster brings one; gives the nodes of its versions.
    pub(super) fn image(&mut self, account: &str, account_id: &str) -> Vec<String> {
        let azure = self.azure;
        let image = &azure.image;
        if image.url.is_empty() {
            return Vec::new();
        }
        let container_id = format!("{account_id}/blobServices/default/containers/{VHD}");
        let body = json!({ "properties": { "publicAccess": "None" } });
        let after = [account.to_owned()];
        let container = self.add(CONTAINER, VHD, &container_id, CONTAINERS, body, &after);
        let blob = format!("rhcos{}.vhd", self.plan.identity.letters());
        let copy = self.add_blob(
            "image-copy",
            &blob,
            json!({
                "account": account_id,
                "endpoint": output(account, "blobEndpoint"),
                "container": VHD,
                "source": image.url,
            }),
            &[container],
        );
        let (id, url) = (self.id(), output(&copy, "url"));
        let name = format!("gallery_{}", id.replace('-', "_"));
        let gallery_id = self.in_group(&format!("Microsoft.Compute/galleries/{name}"));
        let body = self.tagged(json!({ "properties": {} }));
        let gallery = self.add("image-gallery", &name, &gallery_id, GALLERIES, body, &[]);
        DEFINITIONS
            .iter()
            .map(|one| {
                let name = format!("{id}{}", one.suffix);
                let definition_id = format!("{gallery_id}/images/{name}");
                let body = self.tagged(self.definition(one));
                let after = [gallery.clone()];
                let definition = self.add("image-definition", &name, &definition_id, GALLERIES, body, &after);
                let version_id = format!("{definition_id}/versions/{}", image.release);
                let body = self.tagged(json!({ "properties": {
                    "publishingProfile": {
                        "targetRegions": [{ "name": azure.location, "regionalReplicaCount": 1 }],
                    },
                    "storageProfile": {
                        "osDiskImage": { "source": { "storageAccountId": account_id, "uri": url } },
                    },
                } }));
                self.add("image-version", &name, &version_id, GALLERIES, body, &[definition])
            })
            .collect()
    }

    fn definition(&self, one: &Definition) -> Value {
        let is_arm = self.azure.control_plane.architecture == "arm64";
        let mut properties = json!({
            "osType": "Linux",
            "osState": "Generalized",
            "hyperVGeneration": one.generation,
            "architecture": if is_arm { "Arm64" } else { "x64" },
            "identifier": { "publisher": one.publisher, "offer": one.offer, "sku": one.sku },
        });
        if one.generation == "V2" {
            let mut features = Vec::new();
            match self.azure.image.protection.as_str() {
                "" => {}
                "TrustedLaunch" => features.push(("SecurityType", "TrustedLaunchSupported")),
                other => features.push(("SecurityType", supported(other))),
            }
            // Newer sizes have NVMe disks alone.
            features.push(("DiskControllerTypes", "SCSI, NVMe"));
            properties["features"] =
                features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        }
        json!({ "properties": properties })
    }
}

/// The value by which a definition says that its machines may be confidential.
fn supported(protection: &str) -> &str {
    if protection == "ConfidentialVM" { "ConfidentialVmSupported" } else { protection }
}
