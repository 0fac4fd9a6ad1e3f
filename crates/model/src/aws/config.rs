//! `platform.aws` and the AWS section of a pool: `docs/install-config.md`, sections 4.4 and 4.5.

use std::collections::BTreeMap;

use landfall_diagnostics::secret::SecretUrl;

use crate::config::value::model;

model! {
    /// Settings of a cluster on AWS.
    pub struct Platform {
        /// Region to install in: any region of any partition, also one that no SDK knows.
        #[schemars(extend("x-required" = "always", "examples" = ["us-east-1"]))]
        pub region: String,
        /// Image of all machines, in its older place. `defaultMachinePlatform.amiID` replaces it.
        #[serde(rename = "amiID")]
        #[schemars(extend("deprecated" = true))]
        pub ami_id: String,
        /// Existing subnets, in the older form. `vpc.subnets` replaces it.
        #[schemars(extend("deprecated" = true))]
        pub subnets: Vec<String>,
        /// Existing network to install into.
        pub vpc: Vpc,
        /// Existing private Route 53 zone of the cluster's domain.
        pub hosted_zone: String,
        /// ARN of a role of another account with rights on `hostedZone`.
        pub hosted_zone_role: String,
        /// Tags for all created resources, at most 25.
        pub user_tags: BTreeMap<String, String>,
        /// Whether operators put `userTags` on what they create, too.
        pub propagate_user_tags: bool,
        /// Endpoints of AWS services that replace the public ones, for private and hidden regions.
        pub service_endpoints: Vec<ServiceEndpoint>,
        /// Settings for pools without their own.
        pub default_machine_platform: Option<MachinePool>,
        /// Type of the load balancers.
        #[schemars(extend("examples" = ["Classic", "NLB"]))]
        pub lb_type: String,
        /// Older name of `bestEffortDeleteIgnition`.
        #[schemars(extend("deprecated" = true))]
        pub preserve_bootstrap_ignition: bool,
        /// Whether the installation goes on when the bootstrap ignition bucket cannot be deleted.
        pub best_effort_delete_ignition: bool,
        /// Pool of the account's own public IPv4 addresses to take addresses from.
        #[serde(rename = "publicIpv4Pool")]
        pub public_ipv4_pool: String,
        /// Whether the user provides the DNS records of the cluster.
        #[serde(rename = "userProvisionedDNS")]
        #[schemars(extend("examples" = ["Enabled", "Disabled"]))]
        pub user_provisioned_dns: String,
        /// Address families of the cluster's network.
        #[schemars(extend("enum" = super::values::IP_FAMILIES, "default" = "IPv4"))]
        pub ip_family: String,
    }

    /// Existing network to install into.
    pub struct Vpc {
        /// Existing subnets, all with roles or all without.
        pub subnets: Vec<Subnet>,
    }

    /// One existing subnet.
    pub struct Subnet {
        /// Id of the subnet.
        #[schemars(extend("examples" = ["subnet-0123456789abcdef0"]))]
        pub id: String,
        /// What the subnet is used for.
        pub roles: Vec<SubnetRole>,
    }

    /// What a subnet is used for.
    pub struct SubnetRole {
        /// Name of the role.
        #[serde(rename = "type")]
        #[schemars(extend("enum" = super::values::SUBNET_ROLES))]
        pub kind: String,
    }

    /// An endpoint that replaces the public one of a service.
    pub struct ServiceEndpoint {
        /// Name of the service, such as `ec2`, `s3`, `iam`, `elasticloadbalancing`, `route53`, `tagging`, `sts`, `kms`.
        #[schemars(extend("examples" = ["ec2", "s3", "iam", "elasticloadbalancing", "route53", "tagging", "sts", "kms"]))]
        pub name: String,
        /// URL of the endpoint: HTTPS, a host and perhaps a port, no path.
        #[schemars(extend("examples" = ["https://ec2.us-hidden-1.example.com"]))]
        pub url: SecretUrl,
    }

    /// Settings of machines on AWS.
    pub struct MachinePool {
        /// Availability zones for the machines.
        pub zones: Vec<String>,
        /// Instance type.
        #[serde(rename = "type")]
        #[schemars(extend("examples" = ["m6i.xlarge"]))]
        pub instance_type: String,
        /// Image of the machines.
        #[serde(rename = "amiID")]
        #[schemars(extend("x-required" = "in regions without a published image"))]
        pub ami_id: String,
        /// Volume that the machines start from.
        pub root_volume: RootVolume,
        /// Access to the instance metadata service.
        pub metadata_service: MetadataService,
        /// Existing IAM role of the machines.
        pub iam_role: String,
        /// Existing IAM instance profile of the machines.
        pub iam_profile: String,
        /// Existing security groups for the machines besides the cluster's own; at most 10, only in an existing network.
        #[serde(rename = "additionalSecurityGroupIDs")]
        pub additional_security_group_ids: Vec<String>,
        /// Settings of the processors.
        pub cpu_options: Option<CpuOptions>,
        /// Placement on dedicated hosts, for the pool `worker`.
        pub host_placement: Option<HostPlacement>,
    }

    /// Volume that the machines start from.
    pub struct RootVolume {
        /// Operations a second.
        pub iops: i64,
        /// Throughput in MiB a second, of a gp3 volume: 125 to 2000.
        pub throughput: Option<i32>,
        /// Size in GiB; 120 unless given.
        pub size: i64,
        /// Type of the volume; gp3 unless given, gp2 for the pool `edge`.
        #[serde(rename = "type")]
        #[schemars(extend("examples" = ["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"]))]
        pub kind: String,
        /// ARN of the key which encrypts the volume.
        #[serde(rename = "kmsKeyARN")]
        pub kms_key_arn: String,
    }

    /// Access to the instance metadata service.
    pub struct MetadataService {
        /// Whether the second version, with a session token, is required.
        #[schemars(extend("enum" = ["Required", "Optional"]))]
        pub authentication: String,
    }

    /// Settings of the processors.
    pub struct CpuOptions {
        /// Confidential computing of the machines.
        #[schemars(extend("enum" = super::values::CONFIDENTIAL))]
        pub confidential_compute: Option<String>,
    }

    /// Placement on dedicated hosts.
    pub struct HostPlacement {
        /// Whether the machines run on any host or on given ones.
        #[schemars(extend("enum" = super::values::AFFINITIES, "x-required" = "with hostPlacement"))]
        pub affinity: Option<String>,
        /// The hosts, with `affinity: DedicatedHost`.
        pub dedicated_host: Vec<DedicatedHost>,
    }

    /// A dedicated host.
    pub struct DedicatedHost {
        /// Id of the host.
        #[schemars(extend("examples" = ["h-0123456789abcdef0"]))]
        pub id: String,
    }
}

impl MachinePool {
    /// Whether the machines have AMD SEV-SNP.
    #[must_use]
    pub fn has_sev_snp(&self) -> bool {
        let options = self.cpu_options.as_ref().and_then(|options| options.confidential_compute.as_deref());
        options.is_some_and(|own| own == super::values::SEV_SNP)
    }
}

impl Platform {
    /// The URLs that may hold a password, each with its JSON pointer below the platform's section.
    #[must_use]
    pub fn secret_urls(&self) -> Vec<(String, &str)> {
        let endpoints = self.service_endpoints.iter().enumerate();
        endpoints.map(|(i, endpoint)| (format!("/serviceEndpoints/{i}/url"), endpoint.url.expose())).collect()
    }

    /// Whether the user provides the cluster's DNS records, and the cluster answers for its own names.
    #[must_use]
    pub fn has_user_dns(&self) -> bool {
        self.user_provisioned_dns == super::values::USER_DNS
    }

    /// Whether both address families are asked for.
    #[must_use]
    pub fn is_dual_stack(&self) -> bool {
        super::values::DUAL_STACK.contains(&self.ip_family.as_str())
    }
}
