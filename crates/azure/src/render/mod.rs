//! What Azure adds to the files of a cluster: `assets.md`, chapters B, C and E.

mod cloud_config;
mod machines;
mod metadata;
mod tfvars;

use landfall_diagnostics::secret::Secret;
use landfall_model::config::Zero;
use landfall_model::plan::{Plan, Since};
use landfall_render::{CloudCredentials, DataDevice, Extras, PlatformAssets, Unset};
use serde_json::{Value, json};

use super::config::Platform;
use super::{credentials, planned};

/// The secret with the cloud credentials.
const SECRET: &str = "azure-credentials";
/// Where machines reach the services of their host, such as DNS.
const HOST_SERVICES: &str = "168.63.129.16";

/// What rendering looks at.
struct Rendering<'a> {
    plan: &'a Plan,
    azure: &'a planned::Plan,
    platform: &'a Platform,
    id: &'a str,
}

/// What Azure adds; none for a plan of another platform.
pub(super) fn assets(plan: &Plan, extras: &Extras<'_>) -> Option<PlatformAssets> {
    let azure = plan.platform.azure.as_deref()?;
    let platform = plan.config.platform.azure.as_ref()?;
    let rendering = Rendering { plan, azure, platform, id: &plan.identity.infra_id };
    let zone = |id: &String| json!({ "id": id });
    Some(PlatformAssets {
        type_name: "Azure",
        infrastructure_spec: json!({}),
        infrastructure_status: json!({ "azure": rendering.infrastructure_status() }),
        cloud_config: Some(cloud_config::data(&rendering)),
        public_zone: azure.dns.public_zone.as_ref().map(zone),
        private_zone: azure.dns.private_zone.as_ref().map(zone),
        dns_platform: json!({ "aws": null, "type": "" }),
        ingress_platform: json!({ "type": "" }),
        ingress_parameters: None,
        no_proxy: rendering.no_proxy(),
        var_partition: true,
        data_devices: rendering.data_devices(),
        own_boot_images: plan.has(Since::AzureBootImages)
            && plan.config.compute.iter().any(|pool| {
                pool.platform.azure.as_ref().is_some_and(|settings| !settings.os_image.is_zero())
            }),
        csi_driver: rendering.csi_driver(),
        pod_network_mtu: None,
        cloud_credentials: rendering.cloud_credentials(extras),
        credentials_reader: ("azure-creds-secret-reader", SECRET),
        machines: machines::machines(&rendering),
        metadata: metadata::metadata(&rendering),
        tfvars: tfvars::platform(&rendering, extras),
        own_tfvars: tfvars::own(&rendering),
    })
}

/// How unset fields stand in the cluster's copy of the install config.
pub(super) fn unset(plan: &Plan) -> Unset {
    let cloud = plan.platform.azure.as_ref().map(|azure| &azure.cloud);
    let stack = cloud.is_some_and(|cloud| cloud.stack);
    let name = cloud.map_or("", |cloud| cloud.name.as_str());
    Unset {
        top: if stack { json!({ "credentialsMode": "Manual" }) } else { json!({}) },
        platform: json!({ "cloudName": name, "outboundType": "Loadbalancer" }),
        pool: json!({
            "osDisk": { "diskSizeGB": 0, "diskType": "" },
            "osImage": { "offer": "", "plan": "", "publisher": "", "sku": "", "version": "" },
            "type": "",
        }),
        within_pool: json!({
            "bootDiagnostics": { "resourceGroup": "", "storageAccountName": "" },
            "identity": { "userAssignedIdentities": [{ "subscription": "" }] },
        }),
    }
}

impl Rendering<'_> {
    fn infrastructure_status(&self) -> Value {
        let azure = self.azure;
        let mut status = json!({
            "cloudName": azure.cloud.name,
            "networkResourceGroupName": azure.network.resource_group,
            "resourceGroupName": azure.groups.cluster,
        });
        if azure.cloud.stack {
            status["armEndpoint"] = azure.cloud.arm_endpoint.as_str().into();
        }
        if azure.load_balancers.api_address.is_some() {
            status["cloudLoadBalancerConfig"] = landfall_render::load_balancer_config(self.plan);
        }
        if self.plan.has(Since::IpFamily) {
            status["ipFamily"] = self.platform.ip_family.as_str().into();
        }
        if !azure.user_tags.is_empty() {
            let tags = azure.user_tags.iter();
            status["resourceTags"] = tags.map(|(key, value)| json!({ "key": key, "value": value })).collect();
        }
        status
    }

    /// Where the operating system finds data disks, by their number.
    fn data_devices(&self) -> Vec<DataDevice> {
        let control_plane = [("master", &self.azure.control_plane)].into_iter();
        let pools = control_plane.chain(self.azure.compute.iter().map(|pool| ("worker", pool)));
        let disks = pools.flat_map(|(role, pool)| pool.data_disks.iter().map(move |disk| (role, disk)));
        let devices = disks.map(|(role, disk)| DataDevice {
            role,
            disk: disk.name_suffix.clone(),
            path: format!("/dev/disk/azure/scsi1/lun{}", disk.lun),
        });
        devices.collect()
    }

    fn no_proxy(&self) -> Vec<String> {
        let cloud = &self.azure.cloud;
        let host = cloud.host_service_exception.then(|| HOST_SERVICES.to_owned());
        let resource_manager = cloud.stack.then(|| cloud.arm_endpoint.clone());
        host.into_iter().chain(resource_manager).collect()
    }

    /// Where volumes of applications are encrypted with a key of the user's own.
    fn csi_driver(&self) -> Option<(&'static str, Value)> {
        let set = self.platform.default_machine_platform.as_ref()?.os_disk.disk_encryption_set.as_ref()?;
        let subscription = match set.subscription_id.as_str() {
            "" => self.azure.account.subscription_id.as_str(),
            given => given,
        };
        let set =
            json!({ "name": set.name, "resourceGroup": set.resource_group, "subscriptionID": subscription });
        Some(("disk.csi.azure.com", json!({ "azure": { "diskEncryptionSet": set }, "driverType": "Azure" })))
    }

    fn cloud_credentials(&self, extras: &Extras<'_>) -> Option<CloudCredentials> {
        if self.plan.config.credentials_mode == "Manual" {
            return None;
        }
        let azure = self.azure;
        let secret = extras.credentials.get(credentials::CLIENT_SECRET)?;
        let open = |value: &str| Secret::new(value.to_owned());
        let application = credentials::application(&azure.account, extras.credentials);
        let values = vec![
            ("azure_subscription_id", open(&azure.account.subscription_id)),
            ("azure_client_id", open(application.client)),
            ("azure_client_secret", secret.clone()),
            ("azure_tenant_id", open(application.tenant)),
            ("azure_resource_prefix", open(self.id)),
            ("azure_resourcegroup", open(&azure.groups.cluster)),
            ("azure_region", open(&azure.location)),
        ];
        Some((SECRET, values))
    }
}
