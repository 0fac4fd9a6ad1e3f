//! The machines of both stages, and what the bootstrap machine starts with.

use landfall_platform::native::{output, secret};
use serde_json::{Value, json};

use super::groups::{OF_CONTROL_PLANE, group_name};
use super::network::Network;
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
        let addresses = self.control_plane(network, &image, &profile);
        for group in self.targets() {
            let group_id = id(&format!("target-group/{group}"));
            self.add("targets", group, json!({ "group": group_id, "addresses": addresses }), &[]);
        }
        if self.vars.aws_preserve_bootstrap_ignition {
            self.ignition();
        }
        let targets: Vec<Value> = self.targets().map(|group| id(&format!("target-group/{group}"))).collect();
        let groups: Vec<Value> = OF_CONTROL_PLANE.iter().map(|role| id(&group_name(role))).collect();
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
            "lb_target_group_arns": targets,
            "lb_target_group_arns_length": "3",
            "edge_public_subnet_ids": edge(self, true),
            "edge_private_subnet_ids": edge(self, false),
            "control_plane_ips": addresses,
        });
        self.graph.outputs.insert(self.stage, outputs);
    }

    fn control_plane(&mut self, network: &Network, image: &Value, profile: &Value) -> Vec<Value> {
        let vars = self.vars;
        let groups = OF_CONTROL_PLANE.iter().map(|role| id(&group_name(role)));
        let groups: Vec<Value> =
            groups.chain(vars.aws_master_security_groups.iter().map(|group| json!(group))).collect();
        let mut addresses = Vec::new();
        for (index, zone) in vars.aws_master_availability_zones.iter().enumerate() {
            let name = format!("master-{index}");
            let tags = self.role_tags("control-plane", &name);
            let interface = json!({
                "subnet": network.private_of_zone.get(zone),
                "description": DESCRIPTION,
                "groups": groups,
                "tags": tags,
            });
            let interface = self.add("network-interface", &name, interface, &[]);
            addresses.push(output(&interface, "address"));
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
                "amdSevSnp": vars.aws_master_amd_sev_snp,
                "volume": volume,
                "volumeTags": self.tags_named(&format!("{name}-vol")),
                "tags": tags,
            });
            self.add("instance", &name, machine, &[]);
        }
        addresses
    }

    /// Stage bootstrap.
    pub(super) fn bootstrap(&mut self, network: &Network) {
        let vars = self.vars;
        let is_external = vars.is_external();
        let sources = if is_external {
            vec![json!("0.0.0.0/0")]
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
            self.ignition();
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
        let groups = OF_CONTROL_PLANE.iter().map(|role| id(&group_name(role)));
        let groups: Vec<Value> = groups.chain([id(&group)]).collect();
        let subnets = if is_external { &network.public } else { &network.private };
        let given_subnet = vars.aws_bootstrap_subnet.as_ref().map(|subnet| json!(subnet));
        let kind = Some(&vars.aws_bootstrap_instance_type).filter(|kind| !kind.is_empty());
        let image = match self.graph.resources.iter().find(|node| node.kind == "image") {
            Some(copy) => id(&copy.name),
            None => json!(vars.aws_ami),
        };
        let from_pool = is_external && vars.aws_public_ipv4_pool.is_some();
        let machine = json!({
            "image": image,
            "type": kind.unwrap_or(&vars.aws_master_instance_type),
            "profile": profile,
            "userData": secret("aws_bootstrap_stub_ignition"),
            "subnet": given_subnet.as_ref().or(subnets.first()),
            "groups": groups,
            "isPublic": is_external && !from_pool,
            "tokens": vars.aws_bootstrap_instance_metadata_authentication,
            "volume": { "type": "gp2", "size": 30, "encrypted": true },
            "volumeTags": self.tags_named("bootstrap-vol"),
            "tags": self.tags_named("bootstrap"),
        });
        let machine = self.add("instance", "bootstrap", machine, &after);
        let address = output(&machine, "address");
        for group in self.targets() {
            let group_id = id(&format!("target-group/{group}"));
            let targets = json!({ "group": group_id, "addresses": [address] });
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

    /// The bucket with the Ignition config, in the stage that it goes with.
    fn ignition(&mut self) {
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
            "tags": tags,
        });
        self.add("object", "ignition", object, &[]);
    }
}
