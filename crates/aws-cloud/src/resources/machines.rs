//! Images, network interfaces and instances.

use std::collections::BTreeMap;

use aws_sdk_ec2::types::{
    AmdSevSnpSpecification, BlockDeviceMapping, CpuOptionsRequest, EbsBlockDevice, Filter, HttpTokensState,
    IamInstanceProfileSpecification, ImageState, Instance, InstanceMetadataEndpointState,
    InstanceMetadataOptionsRequest, InstanceMetadataProtocolState, InstanceNetworkInterfaceSpecification,
    InstanceStateName, InstanceType, ResourceType, Volume, VolumeAttachment, VolumeType,
};
use aws_smithy_types::base64;
use landfall_platform::native::{Failure, Properties, State, Wanted};
use serde_json::{Value, json};

use super::super::engine;
use super::super::gather::filter;
use super::network::{tag, tagged, tags};
use super::{Item, Made, Resources, is_true, number, pages, refusal, send, with_id};

/// The secret with what the bootstrap machine starts with, and where in it the address of the whole config is.
const STUB: &str = "aws_bootstrap_stub_ignition";
const SOURCE: &str = "/ignition/config/replace/source";
/// The output with the id of a machine's first volume.
pub(super) const ROOT_VOLUME: &str = "rootVolume";
/// Where the first volume of a machine is, for images that do not say it.
const FIRST_DEVICE: &str = "/dev/xvda";

pub(super) async fn images(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    // No two images of an account have the same name in a region.
    let name = Filter::builder().name("name").values(wanted.text("name")).build();
    let request = cx.ec2().await?.describe_images().owners("self").filters(name);
    let found: Vec<_> = pages!(cx, "ec2:DescribeImages", request)?;
    let item = |image: &aws_sdk_ec2::types::Image| {
        let known = json!({ "id": image.image_id(), "name": image.name(), "tags": tags(image.tags()) });
        let state = match image.state() {
            Some(ImageState::Available) => State::Ready,
            Some(ImageState::Failed | ImageState::Error | ImageState::Invalid) => {
                let reason = image.state_reason().and_then(|reason| reason.message());
                State::Broken(reason.unwrap_or("the copy failed").to_owned())
            }
            other => State::Pending(other.map_or("pending", ImageState::as_str).to_owned()),
        };
        Item::new("image", known).in_state(state)
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn copy_image(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.copy_image().client_token(&wanted.token).name(wanted.text("name"));
    let request = request
        .source_image_id(wanted.text("source"))
        .source_region(wanted.text("sourceRegion"))
        .encrypted(true)
        .tag_specifications(tagged(wanted, "tags", ResourceType::Image));
    Ok(with_id(send!(cx, "ec2:CopyImage", request)?.image_id()))
}

/// Tags the copy, where the service ignores the tags in the call that creates it.
pub(super) async fn tag_image(cx: &Resources<'_>, wanted: &Wanted, outputs: &Properties) -> Made<()> {
    let id = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    tag(cx, id, wanted, "tags").await
}

pub(super) async fn interfaces(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_network_interfaces().filters(cx.mine("network-interface-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeNetworkInterfaces", request)?;
    let item = |interface: &aws_sdk_ec2::types::NetworkInterface| {
        let groups: Vec<&str> = interface.groups().iter().filter_map(|group| group.group_id()).collect();
        Item::new(
            "network-interface",
            json!({
                "id": interface.network_interface_id(),
                "address": interface.private_ip_address(),
                "ipv6Address": interface.ipv6_addresses().first().and_then(|one| one.ipv6_address()),
                "ipv6Addresses": interface.ipv6_addresses().len(),
                "subnet": interface.subnet_id(),
                "description": interface.description(),
                "groups": groups,
                "tags": tags(interface.tag_set()),
            }),
        )
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn create_interface(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_network_interface().client_token(&wanted.token);
    let request = request
        .subnet_id(wanted.text("subnet"))
        .description(wanted.text("description"))
        .set_groups(Some(wanted.texts("groups")))
        .set_ipv6_address_count(number(wanted, "ipv6Addresses"))
        .set_enable_primary_ipv6(is_true(wanted, "ipv6Primary").then_some(true))
        .tag_specifications(tagged(wanted, "tags", ResourceType::NetworkInterface));
    let made = send!(cx, "ec2:CreateNetworkInterface", request)?;
    let interface = made.network_interface();
    let mut outputs = with_id(interface.and_then(|one| one.network_interface_id()));
    let address = interface.and_then(|one| one.private_ip_address());
    outputs.insert("address".to_owned(), json!(address));
    let ipv6 = interface.and_then(|one| one.ipv6_addresses().first()?.ipv6_address());
    outputs.insert("ipv6Address".to_owned(), json!(ipv6));
    Ok(outputs)
}

fn state(instance: &Instance) -> Option<State> {
    match instance.state().and_then(|state| state.name()) {
        Some(InstanceStateName::Terminated | InstanceStateName::ShuttingDown) => None,
        Some(InstanceStateName::Pending) => Some(State::Pending("pending".to_owned())),
        // One that somebody has stopped exists as much as one that runs.
        _ => Some(State::Ready),
    }
}

fn outputs(instance: &Instance) -> Properties {
    let mut outputs = with_id(instance.instance_id());
    outputs.insert("address".to_owned(), json!(instance.private_ip_address()));
    let mut interfaces = instance.network_interfaces().iter();
    if let Some(address) = interfaces.find_map(|one| one.ipv6_addresses().first()?.ipv6_address()) {
        outputs.insert("ipv6Address".to_owned(), json!(address));
    }
    if let Some(address) = instance.public_ip_address() {
        outputs.insert("publicAddress".to_owned(), json!(address));
    }
    let mut devices = instance.block_device_mappings().iter();
    let root = devices.find(|one| one.device_name() == instance.root_device_name());
    if let Some(volume) = root.and_then(|one| one.ebs()?.volume_id()) {
        outputs.insert(ROOT_VOLUME.to_owned(), json!(volume));
    }
    outputs
}

/// The first volumes of machines that run, by the machine's id: what of them the plan decides, and their tags.
async fn first_volumes(cx: &Resources<'_>, machines: &[&Instance]) -> Made<BTreeMap<String, [Value; 2]>> {
    let running = machines.iter().filter(|machine| state(machine) == Some(State::Ready));
    let first = running.filter_map(|machine| Some((machine.instance_id()?, machine.root_device_name()?)));
    let first: BTreeMap<&str, &str> = first.collect();
    if first.is_empty() {
        return Ok(BTreeMap::new());
    }
    let ids = filter("attachment.instance-id", first.keys().copied());
    let request = cx.ec2().await?.describe_volumes().filters(ids);
    let found: Vec<Volume> = pages!(cx, "ec2:DescribeVolumes", request)?;
    let mut volumes = BTreeMap::new();
    for volume in found {
        let of = |one: &&VolumeAttachment| {
            one.instance_id().and_then(|id| first.get(id)).copied() == one.device() && one.device().is_some()
        };
        let Some(machine) = volume.attachments().iter().find(of).and_then(|one| one.instance_id()) else {
            continue;
        };
        let known = json!({
            "type": volume.volume_type().map(VolumeType::as_str),
            "size": volume.size(),
            "iops": volume.iops(),
            "throughput": volume.throughput(),
            "encrypted": volume.encrypted(),
            "key": volume.kms_key_id(),
        });
        volumes.insert(machine.to_owned(), [known, tags(volume.tags())]);
    }
    Ok(volumes)
}

pub(super) async fn instances(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_instances().filters(cx.mine("instance-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeInstances", request)?;
    let mut items = Vec::new();
    let found: Vec<&Instance> = found.iter().flat_map(aws_sdk_ec2::types::Reservation::instances).collect();
    let mut volumes = first_volumes(cx, &found).await?;
    for instance in found {
        let Some(state) = state(instance) else { continue };
        let tokens = instance.metadata_options().and_then(|options| options.http_tokens());
        let mut known = json!({
            "type": instance.instance_type().map(InstanceType::as_str),
            "tags": tags(instance.tags()),
        });
        if let Some(tokens) = tokens {
            known["tokens"] = tokens.as_str().into();
        }
        if let Some([volume, tags]) = instance.instance_id().and_then(|id| volumes.remove(id)) {
            (known["volume"], known["volumeTags"]) = (volume, tags);
        }
        if let Value::Object(known) = &mut known {
            known.extend(outputs(instance));
        }
        items.push(Item::new("instance", known).in_state(state));
    }
    Ok(items)
}

/// The name of an image's first volume.
async fn root_device(cx: &Resources<'_>, image: &str) -> Made<String> {
    let request = cx.ec2().await?.describe_images().image_ids(image);
    let found = send!(cx, "ec2:DescribeImages", request)?;
    let device = found.images().first().and_then(|image| image.root_device_name());
    Ok(device.unwrap_or(FIRST_DEVICE).to_owned())
}

/// What a machine starts with. The bootstrap machine gets its whole config from an address that is signed now.
async fn user_data(cx: &Resources<'_>, wanted: &Wanted) -> Made<String> {
    let text = cx.secret(wanted, "userData");
    if wanted.inputs.get("userData").and_then(landfall_platform::native::secret_name) != Some(STUB) {
        return Ok(base64::encode(text));
    }
    let url = engine::ignition_url(cx.session, cx.infra_id).await.map_err(Resources::verdict)?;
    let mut stub: Value = serde_json::from_str(text).unwrap_or_default();
    let without = "the bootstrap machine's own Ignition config has no source";
    let source = stub.pointer_mut(SOURCE).ok_or_else(|| Failure::Refused(refusal("", without)))?;
    *source = url.expose().as_str().into();
    Ok(base64::encode(stub.to_string()))
}

pub(super) async fn run_instance(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let volume = wanted.inputs.get("volume").cloned().unwrap_or_default();
    let size = |key: &str| volume[key].as_i64().and_then(|size| i32::try_from(size).ok());
    let ebs = EbsBlockDevice::builder()
        .volume_type(VolumeType::from(volume["type"].as_str().unwrap_or_default()))
        .set_volume_size(size("size"))
        .set_iops(size("iops"))
        .set_throughput(size("throughput"))
        .encrypted(volume["encrypted"].as_bool().unwrap_or(true))
        .set_kms_key_id(volume["key"].as_str().map(str::to_owned))
        .delete_on_termination(true);
    let device = root_device(cx, wanted.text("image")).await?;
    let device = BlockDeviceMapping::builder().device_name(device).ebs(ebs.build()).build();
    let metadata = InstanceMetadataOptionsRequest::builder()
        .http_endpoint(InstanceMetadataEndpointState::Enabled)
        .http_tokens(HttpTokensState::from(wanted.text("tokens")))
        .set_http_protocol_ipv6(
            is_true(wanted, "metadataIpv6").then_some(InstanceMetadataProtocolState::Enabled),
        )
        .build();
    let interface = InstanceNetworkInterfaceSpecification::builder().device_index(0);
    let interface = match wanted.text("interface") {
        "" => interface
            .subnet_id(wanted.text("subnet"))
            .set_groups(Some(wanted.texts("groups")))
            .associate_public_ip_address(is_true(wanted, "isPublic"))
            .set_ipv6_address_count(number(wanted, "ipv6Addresses"))
            .set_primary_ipv6(is_true(wanted, "ipv6Primary").then_some(true))
            .delete_on_termination(true),
        id => interface.network_interface_id(id),
    };
    let profile = IamInstanceProfileSpecification::builder().name(wanted.text("profile")).build();
    let sev_snp = wanted.inputs.get("amdSevSnp").and_then(Value::as_str).map(AmdSevSnpSpecification::from);
    let processors = sev_snp.map(|wanted| CpuOptionsRequest::builder().amd_sev_snp(wanted).build());
    let data = user_data(cx, wanted).await?;
    let request = cx.ec2_once().await?.run_instances().client_token(&wanted.token).min_count(1).max_count(1);
    let request = request
        .image_id(wanted.text("image"))
        .instance_type(InstanceType::from(wanted.text("type")))
        .iam_instance_profile(profile)
        .user_data(data)
        .network_interfaces(interface.build())
        .block_device_mappings(device)
        .metadata_options(metadata)
        .set_cpu_options(processors)
        .tag_specifications(tagged(wanted, "tags", ResourceType::Instance))
        .tag_specifications(tagged(wanted, "volumeTags", ResourceType::Volume));
    let made = send!(cx, "ec2:RunInstances", request)?;
    Ok(made.instances().first().map(outputs).unwrap_or_default())
}
