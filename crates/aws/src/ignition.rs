//! The bootstrap machine's Ignition config, completed with what AWS gives when the cluster's resources are created: the
//! IPv6 addresses of a new VPC, which the cluster's operators read in the cluster's copy of the install config, and the
//! id of a copied image, which machine sets of Cluster API name.

use landfall_model::aws::planned;
use landfall_model::plan::Plan;
use landfall_render::ignition::{with_image, with_machine_network};
use serde_json::{Map, Value};

/// The output of stage cluster with the IPv6 addresses of the VPC.
const NETWORK: &str = "aws_vpc_ipv6_cidr";
/// The family that comes first, among the variables of terraform.
const FAMILY: &str = "aws_ip_family";
/// The output of stage cluster with the id of the machines' image.
const IMAGE: &str = "ami_id";
/// What stands for it in the templates of machine sets, among the variables of terraform.
const IMAGE_NAME: &str = "aws_cluster_api_image";

/// What AWS gave, and the config is completed with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// The IPv6 network of the VPC.
    pub network: Option<&'a str>,
    /// Whether that comes before the IPv4 networks.
    pub is_ipv6_primary: bool,
    /// What stands for the image in the templates, and the id of the image.
    pub image: Option<(&'a str, &'a str)>,
}

/// The name of the copied image in the templates of Cluster API's machine sets, which name images by id alone; none
/// where no pool needs it.
pub(super) fn image_in_templates(plan: &Plan, aws: &planned::Plan) -> Option<String> {
    let is_copied = aws.image.region != aws.region;
    let used = aws.compute.iter().any(|pool| pool.cluster_api && pool.image.is_none());
    (is_copied && used).then(|| copied_image(plan, aws))
}

/// The name that a copied image has in its tag `Name`.
pub(super) fn copied_image(plan: &Plan, aws: &planned::Plan) -> String {
    format!("{}-ami-{}", plan.identity.infra_id, aws.region)
}

/// Whether the bucket with the config stays when the bootstrap machine is removed. A config that is completed is made
/// with the bootstrap machine, and goes with it.
pub(super) fn keeps_ignition(plan: &Plan) -> bool {
    let platform = plan.config.platform.aws.as_ref();
    let names_image = plan.platform.aws.as_ref().is_some_and(|aws| image_in_templates(plan, aws).is_some());
    platform.is_some_and(|platform| {
        platform.preserve_bootstrap_ignition && !platform.is_dual_stack() && !names_image
    })
}

/// The config with the IPv6 network of the VPC among its machine networks, and the image in its templates. `None` means
/// that nothing was added: the config has both already, or brings no such files along.
#[must_use]
pub fn completed(ignition: &str, given: Given<'_>) -> Option<String> {
    let networked =
        given.network.and_then(|network| with_machine_network(ignition, network, given.is_ipv6_primary));
    let text = networked.as_deref().unwrap_or(ignition);
    given.image.and_then(|(name, id)| with_image(text, name, id)).or(networked)
}

/// The same from the variables of terraform, with the outputs of stage cluster among them.
pub(super) fn completed_from(ignition: &str, variables: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| variables.get(name).and_then(Value::as_str);
    let given = Given {
        network: text(NETWORK),
        is_ipv6_primary: text(FAMILY) == Some("DualStackIPv6Primary"),
        image: text(IMAGE_NAME).zip(text(IMAGE)),
    };
    completed(ignition, given)
}
