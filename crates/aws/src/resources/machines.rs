//! The machines of both stages, and what the bootstrap machine starts with.

use landfall_platform::native::{output, secret};
use serde_json::{Value, json};

use super::groups::control_plane_groups;
use super::network::{EVERYWHERE, EVERYWHERE_IPV6, Network};
use super::{Builder, DESCRIPTION, Tags, id};
use crate::tags::CLUSTER;

/// The object with the bootstrap machine's Ignition config.
const OBJECT: &str = "bootstrap.ign";
/// The most tags of the user's that an object takes beside our two.
const MOST_OBJECT_TAGS: usize = 8;

impl Builder<'_> {
    /// Stage cluster, in a network.
    pub(super) fn cluster(&mut self, network: &Network, public_zone: Option<&str>) {
        self.groups(network);
        self.balancers(network);
        self.dns(network, public_zone);
        let profile = self.roles();
        let image = self.image();
        let (addresses, targets) = self.control_plane(network, &image, &profile);
        for group in self.targets() {
            let group_id = id(&format!("target-group/{group}"));
            self.add("targets", group, json!({ "group": group_id, "addresses": targets }), &[]);
        }
        if self.vars.aws_preserve_bootstrap_ignition {
            self.ignition(None);
        }
        let targets: Vec<Value> = self.targets().map(|group| id(&format!("target-group/{group}"))).collect();
        let groups = control_plane_groups(self.vars.aws_layout);
        let edge = |builder: &Self, public: bool| -> Vec<Value> {
            let zones = builder.vars.aws_edge_local_zones.iter();
            let kind = if public { "public" } else { "private" };
            let cidrs = if public { &builder.vars.aws_public_cidrs } else { &builder.vars.aws_private_cidrs };
            let zones = zones.filter(|zone| cidrs.contains_key(*zone));
            zones.map(|zone| id(&format!("subnet/{kind}-{zone}"))).collect()
        };
        let outputs = json!({
            "ami_id": image,
            "vpc_id": network.vpc,
            "public_subnet_ids": network.public,
            "private_subnet_ids": network.private,
            "master_sg_ids": groups,
            "aws_vpc_ipv6_cidr": network.ipv6,
            "lb_target_group_arns": targets,
            "lb_target_group_arns_length": "3",
            "edge_public_subnet_ids": edge(self, true),
            "edge_private_subnet_ids": edge(self, false),
            "control_plane_ips": addresses,
        });
        self.graph.outputs.insert(self.stage, outputs);
    }

    /// The machines of the control plane; gives their addresses, and those that load balancers send to.
    fn control_plane(
        &mut self,
        network: &Network,
        image: &Value,
        profile: &Value,
    ) -> (Vec<Value>, Vec<Value>) {
        let vars = self.vars;
        let mut groups = control_plane_groups(vars.aws_layout);
        groups.extend(vars.aws_master_security_groups.iter().map(|group| json!(group)));
        let (mut addresses, mut targets) = (Vec::new(), Vec::new());
        for (index, zone) in vars.aws_master_availability_zones.iter().enumerate() {
            let name = format!("master-{index}");
            let tags = self.role_tags("control-plane", &name);
            let interface = json!({
                "subnet": network.private_of_zone.get(zone),
                "description": DESCRIPTION,
                "groups": groups,
                "ipv6Addresses": self.ipv6_addresses(),
                "ipv6Primary": vars.is_ipv6_primary().then_some(true),
                "tags": tags,
            });
            let interface = self.add("network-interface", &name, interface, &[]);
            addresses.push(output(&interface, "address"));
            targets.push(output(&interface, self.target_address()));
            let volume = json!({
                "type": vars.aws_master_root_volume_type,
                "size": vars.aws_master_root_volume_size,
                "iops": (vars.aws_master_root_volume_iops != 0).then_some(vars.aws_master_root_volume_iops),
                "throughput": vars.aws_master_root_volume_throughput,
                "encrypted": vars.aws_master_root_volume_encrypted,
                "key": vars.aws_master_root_volume_kms_key_id,
            });
            let machine = json!({
                "image": image,
                "type": vars.aws_master_instance_type,
                "profile": profile,
                "userData": secret("ignition_master"),
                "interface": id(&interface),
                "tokens": vars.aws_master_instance_metadata_authentication,
                "metadataIpv6": vars.is_dual_stack().then_some(true),
                "amdSevSnp": vars.aws_master_amd_sev_snp,
                "volume": volume,
                "volumeTags": self.tags_named(&format!("{name}-vol")),
                "tags": tags,
            });
            self.add("instance", &name, machine, &[]);
        }
        (addresses, targets)
    }

    /// How many IPv6 addresses a machine has, where it has any.
    fn ipv6_addresses(&self) -> Option<u8> {
        self.vars.is_dual_stack().then_some(1)
    }

    /// The address of a machine that load balancers send to.
    fn target_address(&self) -> &'static str {
        if self.vars.is_ipv6_primary() { "ipv6Address" } else { "address" }
    }

    /// Stage bootstrap.
    pub(super) fn bootstrap(&mut self, network: &Network) {
        let vars = self.vars;
        let is_external = vars.is_external();
        let sources: Vec<Value> = if is_external {
            let ipv6 = vars.is_dual_stack().then_some(EVERYWHERE_IPV6);
            [EVERYWHERE].into_iter().chain(ipv6).map(Value::from).collect()
        } else {
            vars.machine_v4_cidrs.iter().map(|cidr| json!(cidr)).collect()
        };
        let tags = self.tags_named("bootstrap-sg");
        let group = self.group(network, "bootstrap", "bootstrap-sg", &tags);
        let rule = |port: u16, source: &Value| json!({ "protocol": "tcp", "from": port, "to": port, "source": source });
        let rules: Vec<Value> = [22, 19531]
            .into_iter()
            .flat_map(|port| sources.iter().map(move |source| rule(port, source)))
            .collect();
        self.rules("bootstrap", &rules, &[]);
        if !vars.aws_preserve_bootstrap_ignition {
            self.ignition(network.ipv6.as_ref());
        }
        let object = format!("arn:{}:s3:::{}/{OBJECT}", vars.aws_partition_id, vars.aws_ignition_bucket);
        let statements = json!([
            {
                "Effect": "Allow",
                "Action": ["ec2:AttachVolume", "ec2:Describe*", "ec2:DetachVolume"],
                "Resource": "*",
            },
            // Its own Ignition config and no other object.
            { "Effect": "Allow", "Action": "s3:GetObject", "Resource": object },
        ]);
        let given = [&vars.aws_master_iam_role_name, &vars.aws_master_iam_instance_profile].map(Clone::clone);
        let (profile, mut after) = self.profile("bootstrap", given, None, &statements);
        after.push("object/ignition".to_owned());
        let mut groups = control_plane_groups(vars.aws_layout);
        groups.push(id(&group));
        let (subnets, of_zone) = if is_external {
            (&network.public, &network.public_of_zone)
        } else {
            (&network.private, &network.private_of_zone)
        };
        let mut subnet = subnets.first();
        if vars.is_cluster_api() {
            groups.extend(vars.aws_master_security_groups.iter().map(|group| json!(group)));
            // Other zones may not offer its type.
            subnet = vars.aws_master_availability_zones.first().and_then(|zone| of_zone.get(zone)).or(subnet);
        }
        let given_subnet = vars.aws_bootstrap_subnet.as_ref().map(|subnet| json!(subnet));
        let kind = Some(&vars.aws_bootstrap_instance_type).filter(|kind| !kind.is_empty());
        let image = self.used_image();
        let from_pool = is_external && vars.aws_public_ipv4_pool.is_some();
        let machine = json!({
            "image": image,
            "type": kind.unwrap_or(&vars.aws_master_instance_type),
            "profile": profile,
            "userData": secret("aws_bootstrap_stub_ignition"),
            "subnet": given_subnet.as_ref().or(subnet),
            "groups": groups,
            "ipv6Addresses": self.ipv6_addresses(),
            "ipv6Primary": vars.is_ipv6_primary().then_some(true),
            "isPublic": is_external && !from_pool,
            "tokens": vars.aws_bootstrap_instance_metadata_authentication,
            "metadataIpv6": vars.is_dual_stack().then_some(true),
            "volume": { "type": "gp2", "size": 30, "encrypted": true, "key": vars.aws_master_root_volume_kms_key_id },
            "volumeTags": self.tags_named("bootstrap-vol"),
            "tags": self.tags_named("bootstrap"),
        });
        let machine = self.add("instance", "bootstrap", machine, &after);
        let (address, target) = (output(&machine, "address"), output(&machine, self.target_address()));
        for group in self.targets() {
            let group_id = id(&format!("target-group/{group}"));
            let targets = json!({ "group": group_id, "addresses": [target] });
            self.add("targets", &format!("bootstrap-{group}"), targets, &[]);
        }
        let ip = if from_pool {
            let given = self.address(&self.tags_named("bootstrap-eip"));
            let given = self.add("address", "bootstrap", given, &[]);
            let association = json!({ "address": id(&given), "instance": id(&machine) });
            self.add("address-association", "bootstrap", association, &[]);
            output(&given, "publicAddress")
        } else if is_external {
            output(&machine, "publicAddress")
        } else {
            address
        };
        self.graph.outputs.insert(self.stage, json!({ "bootstrap_ip": ip }));
    }

    /// The image of the machines: its copy, if there is one.
    fn used_image(&self) -> Value {
        let copy = self.graph.resources.iter().find(|node| node.kind == "image");
        copy.map_or_else(|| json!(self.vars.aws_ami), |copy| id(&copy.name))
    }

    /// The bucket with the Ignition config, in the stage that it goes with.
    fn ignition(&mut self, ipv6: Option<&Value>) {
        let vars = self.vars;
        let bucket = json!({
            "name": vars.aws_ignition_bucket,
            "region": vars.aws_region,
            "tags": self.tags_named("bootstrap"),
        });
        let bucket = self.add("bucket", "ignition", bucket, &[]);
        let owner = format!("{CLUSTER}{}", vars.cluster_id);
        let all = self.tags();
        let own = all.iter().filter(|(key, _)| **key != owner && *key != "Name").take(MOST_OBJECT_TAGS);
        let mut tags: Tags = own.map(|(key, value)| (key.clone(), value.clone())).collect();
        tags.extend(all.get(&owner).map(|value| (owner, value.clone())));
        tags.insert("Name".to_owned(), self.named("bootstrap"));
        let object = json!({
            "bucket": id(&bucket),
            "key": OBJECT,
            "content": secret("ignition_bootstrap"),
            // What the config is completed with.
            "machineNetwork": ipv6,
            "networkFirst": (ipv6.is_some() && vars.is_ipv6_primary()).then_some(true),
            "image": vars.aws_cluster_api_image.as_ref().map(|_| self.used_image()),
            "imageName": vars.aws_cluster_api_image,
            "tags": tags,
        });
        self.add("object", "ignition", object, &[]);
    }
}
