//! Which action is allowed on what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use landfall_model::aws::catalogue::FIRST_PARTITION;
use landfall_model::aws::config::{MachinePool as Settings, Platform};
use landfall_model::catalogue::Catalogue;
use landfall_model::catalogue::value::shipped;
use landfall_model::config::InstallConfig;
use landfall_model::plan::{Cluster, Engine, infra_id_prefix};
use serde_json::{Value, json};

use super::{creates_role, is_placed, mint, mints, needed, passthrough, shares, terraform};
use crate::NAME;

/// All resources.
const ALL: &str = "*";
/// How the ARN of all keys ends.
const ANY_KEY: &str = ":key/*";
/// How the ARN of all roles ends.
const ANY_ROLE: &str = ":role/*";
/// The service of all partitions' machines, which partitions with a name of their own take as well.
pub const EC2: &str = "ec2.amazonaws.com";

/// What landfall asks before an installation besides what installing takes.
pub(super) static PREFLIGHT: LazyLock<Vec<String>> =
    LazyLock::new(|| shipped(include_str!("../data/preflight-actions.json")));
const READ_HOSTS: &str = "ec2:DescribeHosts";
const READ_KEY: &str = "kms:DescribeKey";
const READ_QUOTAS: &str = "servicequotas:ListServiceQuotas";
const READ_IMAGES: &str = "ec2:DescribeImages";
const READ_SNAPSHOTS: &str = "ec2:DescribeSnapshots";
const TAKE_ROLE: &str = "sts:AssumeRole";
const PASS_ROLE: &str = "PassRole";
/// The key of IAM's conditions for the service that a role is passed to.
pub const PASSED_TO: &str = "iam:PassedToService";

/// What an action is done to. IAM limits an action to resources of the kind that it is for, and some to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    /// Anything in the region.
    Regional,
    /// Images, of which one is copied from another region.
    Images,
    /// Tags, which are listed with global services as well.
    Tags,
    /// Roles that the cluster has made.
    OwnRoles,
    /// Roles that the cluster uses.
    Roles,
    /// Roles that are passed to machines, some of them inside of instance profiles.
    PassedRoles,
    /// Instance profiles that the cluster has made.
    OwnProfiles,
    /// Instance profiles that the cluster uses.
    Profiles,
    /// Users that the cluster's operators make.
    Users,
    /// What a global service has for the account as a whole: lists, the caller, zones yet to be made.
    Global,
    /// Hosted zones.
    Zones,
    /// Changes of records under way.
    Changes,
    /// Buckets of the cluster.
    Buckets,
    /// Objects in them.
    Objects,
    /// Keys that encrypt volumes.
    Keys,
    /// The role with rights on the hosted zone.
    ZoneRole,
}

/// Actions that are allowed on the same resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Name of the statement: letters only.
    pub sid: &'static str,
    /// The actions, sorted.
    pub actions: Vec<String>,
    /// ARNs of the resources, in which `*` is any text; `*` alone for all resources.
    pub resources: Vec<String>,
    /// The regions whose endpoints may be called; any where there are none.
    pub regions: Vec<String>,
    /// The services that a role may be passed to; any where there are none.
    pub passed_to: Vec<String>,
}

impl Grant {
    /// The statement of a policy.
    pub(super) fn statement(&self) -> Value {
        let mut statement = json!({
            "Sid": self.sid,
            "Effect": "Allow",
            "Action": self.actions,
            "Resource": one_or_many(&self.resources),
        });
        for (key, values) in [("aws:RequestedRegion", &self.regions), (PASSED_TO, &self.passed_to)] {
            if !values.is_empty() {
                statement["Condition"]["StringEquals"][key] = one_or_many(values);
            }
        }
        statement
    }

    fn take(&mut self, other: Self) {
        self.actions.extend(other.actions);
        self.actions.sort();
        let resources = other.resources.into_iter().filter(|arn| !self.resources.contains(arn));
        let new: Vec<String> = resources.collect();
        self.resources.extend(new);
    }
}

/// A single text stands alone, as people write it.
fn one_or_many(texts: &[String]) -> Value {
    match texts {
        [one] => json!(one),
        many => json!(many),
    }
}

/// Actions, and resources that they must be allowed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The actions, sorted.
    pub actions: Vec<String>,
    /// ARNs of resources such as the cluster will have; none where the action is for all resources.
    pub resources: Vec<String>,
    /// Whether the actions are for some resources only, and nobody knows which: that they are not allowed on
    /// all of them proves nothing.
    pub partly: bool,
}

/// What to ask of somebody who is to install a config with an engine: each of the actions that it takes stands in one
/// question. A policy that allows an action on the cluster's own resources only does not allow it on all.
///
/// `real` has the ARNs of what the config names otherwise: of keys by their aliases' ARNs, of roles and
/// instance profiles by kind and name, as `role/nodes`, and of the role inside a profile as
/// `instance-profile/nodes/role`.
#[must_use]
pub fn questions(
    engine: Engine,
    config: &InstallConfig,
    catalogue: &Catalogue,
    release: &str,
    account: &str,
    real: &BTreeMap<String, String>,
) -> Vec<Question> {
    let Some(platform) = &config.platform.aws else {
        return Vec::new();
    };
    let names = Names { real: Some(real), ..Names::of(config, platform, catalogue, release) };
    let mut actions = needed(config, catalogue, release);
    if engine == Engine::Terraform && !actions.is_empty() {
        actions.extend(terraform(catalogue, release));
    }
    let grants = names.scoped(actions).into_iter();
    let question = |grant: Grant| {
        // Which key an alias names is unknown here, and so is the role inside an instance profile.
        if grant.resources.iter().any(|arn| arn.ends_with(ANY_KEY) || arn.ends_with(ANY_ROLE)) {
            return Question { actions: grant.actions, resources: Vec::new(), partly: true };
        }
        // The same name with any path stands beside it.
        let resources = grant.resources.iter().filter(|arn| *arn != ALL && !arn.contains("/*/"));
        let example = |arn: &String| arn.replace("::*:", &format!("::{account}:")).replace('*', "preflight");
        Question { resources: resources.map(example).collect(), actions: grant.actions, partly: false }
    };
    grants.map(question).collect()
}

/// What installing a config takes with any engine, together with what landfall asks before it and what the
/// cluster's operators need where they make users: every action stands in one grant.
#[must_use]
pub fn grants(config: &InstallConfig, catalogue: &Catalogue, release: &str) -> Vec<Grant> {
    let Some(platform) = &config.platform.aws else {
        return Vec::new();
    };
    let names = Names::of(config, platform, catalogue, release);
    let mut actions = needed(config, catalogue, release);
    actions.extend(PREFLIGHT.iter().cloned());
    actions.extend(terraform(catalogue, release));
    if mints(config) {
        actions.extend(mint(catalogue, release));
    }
    actions.extend(names.shared.iter().cloned());
    let further = [
        (READ_HOSTS, config.pools().any(|(_, pool)| is_placed(pool))),
        (READ_KEY, !names.keys.is_empty()),
        // Without it, nobody can prove that the snapshots of a copied image are gone.
        (READ_SNAPSHOTS, names.copied_from.is_some()),
        (TAKE_ROLE, !platform.hosted_zone_role.is_empty()),
        (READ_QUOTAS, catalogue.aws.has_quotas(&platform.region)),
    ];
    actions.extend(further.into_iter().filter(|(_, asked)| *asked).map(|(action, _)| action.to_owned()));
    let mut grants: Vec<Grant> = Vec::new();
    for grant in names.scoped(actions) {
        // AWS takes policies of some 6000 characters, so what can stand together does.
        match grants.iter_mut().find(|known| known.sid == grant.sid) {
            Some(known) => known.take(grant),
            None => grants.push(grant),
        }
    }
    grants
}

/// The names that resources have.
struct Names<'a> {
    platform: &'a Platform,
    partition: &'a str,
    /// Beginning of the names of all that the cluster makes.
    prefix: String,
    roles: BTreeSet<&'a str>,
    profiles: BTreeSet<&'a str>,
    /// Whether the cluster has roles that are created for it.
    creates_role: bool,
    /// The services that machines are of.
    machines: Vec<String>,
    keys: BTreeSet<&'a str>,
    /// Whether names are published outside the private zone.
    external: bool,
    /// Actions of operators that use the installer's credentials, if they do.
    shared: BTreeSet<String>,
    /// ARNs of what the config names otherwise, where they are asked for.
    real: Option<&'a BTreeMap<String, String>>,
    /// Whether the config leaves open how the cluster comes by its credentials.
    mode_open: bool,
    /// Region in which objects of global services are listed, if it is another one.
    global_region: Option<&'a str>,
    /// Region that the image is copied from, if it is another one.
    copied_from: Option<&'a str>,
}

impl<'a> Names<'a> {
    fn of(
        config: &'a InstallConfig,
        platform: &'a Platform,
        catalogue: &'a Catalogue,
        release: &str,
    ) -> Self {
        let partition = catalogue.aws.partition_of(&platform.region);
        let settings = || config.pools().filter_map(|(_, pool)| pool.platform.aws.as_ref());
        let given = |name: fn(&Settings) -> &str| -> BTreeSet<&'a str> {
            settings().map(name).filter(|name| !name.is_empty()).collect()
        };
        let cluster = Cluster::of(config);
        // Pools whose architecture has no image in the region, and that name none.
        let copies = config.pools().any(|(_, pool)| {
            let own = pool.platform.aws.as_ref().is_some_and(|machines| !machines.ami_id.is_empty());
            !own && catalogue.image(release, &pool.architecture, NAME, &platform.region).is_none()
        });
        let another = |region: &&str| *region != platform.region;
        Self {
            platform,
            partition: partition.map_or(FIRST_PARTITION, |(id, _)| id),
            prefix: infra_id_prefix(&config.metadata.name),
            roles: given(|machines| machines.iam_role.as_str()),
            profiles: given(|machines| machines.iam_profile.as_str()),
            creates_role: creates_role(config),
            machines: BTreeSet::from([EC2.to_owned(), catalogue.aws.ec2_service_principal(&platform.region)])
                .into_iter()
                .collect(),
            keys: given(|machines| machines.root_volume.kms_key_arn.as_str()),
            external: cluster.external_api || cluster.external_ingress,
            shared: if shares(config) {
                passthrough(catalogue, release).into_iter().collect()
            } else {
                BTreeSet::new()
            },
            real: None,
            mode_open: config.credentials_mode.is_empty(),
            global_region: partition.and_then(|(_, p)| p.global_region.as_deref()).filter(another),
            copied_from: partition
                .and_then(|(_, p)| p.image_copy_from.as_deref())
                .filter(another)
                .filter(|_| copies),
        }
    }

    /// The actions by what they are done to.
    fn scoped(&self, actions: Vec<String>) -> Vec<Grant> {
        let mut scopes: BTreeMap<Scope, BTreeSet<String>> = BTreeMap::new();
        for action in actions {
            scopes.entry(self.scope(&action)).or_default().insert(action);
        }
        scopes.into_iter().map(|(scope, actions)| self.grant(scope, actions)).collect()
    }

    /// What an action is done to. Operators that share credentials ask whether they may do it to anything.
    fn scope(&self, action: &str) -> Scope {
        let own = self.own_scope(action);
        let regional = matches!(own, Scope::Regional | Scope::Images | Scope::Tags);
        if self.shared.contains(action) && !regional { Scope::Global } else { own }
    }

    fn own_scope(&self, action: &str) -> Scope {
        let (service, name) = action.split_once(':').unwrap_or((action, ""));
        match service {
            "ec2" if action == READ_IMAGES && self.copied_from.is_some() => Scope::Images,
            "tag" if self.global_region.is_some() => Scope::Tags,
            "iam" if name == PASS_ROLE && !self.profiles.is_empty() => Scope::PassedRoles,
            "iam" => identity_scope(name),
            "route53" => zone_scope(name),
            "s3" => bucket_scope(name),
            "kms" if !self.keys.is_empty() => Scope::Keys,
            "sts" if action == TAKE_ROLE && !self.platform.hosted_zone_role.is_empty() => Scope::ZoneRole,
            _ => Scope::Regional,
        }
    }

    /// Actions with what they are done to. Grants that go together have the same name.
    fn grant(&self, scope: Scope, actions: BTreeSet<String>) -> Grant {
        let (sid, resources) = match scope {
            Scope::Regional => ("Region", all()),
            Scope::Images => ("Images", all()),
            Scope::Tags => ("Tags", all()),
            Scope::OwnRoles => ("Roles", vec![self.own("role")]),
            Scope::Roles if self.roles.is_empty() => ("Roles", vec![self.own("role")]),
            Scope::Roles => ("UsedRoles", self.own_and("role", &self.roles)),
            Scope::PassedRoles => ("PassedRoles", self.passed_roles()),
            Scope::OwnProfiles => ("InstanceProfiles", vec![self.own("instance-profile")]),
            Scope::Profiles if self.profiles.is_empty() => {
                ("InstanceProfiles", vec![self.own("instance-profile")])
            }
            Scope::Profiles => ("UsedInstanceProfiles", self.own_and("instance-profile", &self.profiles)),
            // Where the mode is left open, the cluster asks whether it may mint for any user.
            Scope::Users if self.mode_open => ("Users", all()),
            Scope::Users => ("Users", vec![self.own("user")]),
            Scope::Global => ("Global", all()),
            Scope::Zones => ("HostedZones", vec![self.zones()]),
            Scope::Changes => ("HostedZones", vec![self.arn("route53:::change/*")]),
            Scope::Buckets => ("Buckets", vec![self.bucket("")]),
            Scope::Objects => ("Buckets", vec![self.bucket("/*")]),
            Scope::Keys => ("Keys", self.keys.iter().map(|key| self.key(key)).collect()),
            Scope::ZoneRole => ("HostedZoneRole", vec![self.platform.hosted_zone_role.clone()]),
        };
        let regions = match scope {
            Scope::Regional => self.region_and(None),
            Scope::Images => self.region_and(self.copied_from),
            Scope::Tags => self.region_and(self.global_region),
            _ => Vec::new(),
        };
        let passed_to = if scope == Scope::PassedRoles { self.machines.clone() } else { Vec::new() };
        Grant { sid, actions: actions.into_iter().collect(), resources, regions, passed_to }
    }

    fn region_and(&self, other: Option<&str>) -> Vec<String> {
        let own = self.platform.region.as_str();
        std::iter::once(own).chain(other).map(str::to_owned).collect()
    }

    fn arn(&self, rest: &str) -> String {
        format!("arn:{}:{rest}", self.partition)
    }

    /// What the cluster makes of a kind of IAM. Accounts are not told apart: a policy holds in its own.
    fn own(&self, kind: &str) -> String {
        self.arn(&format!("iam::*:{kind}/{}*", self.prefix))
    }

    /// The same, and what the user names; its path is not known.
    fn own_and(&self, kind: &str, given: &BTreeSet<&str>) -> Vec<String> {
        let given = given.iter().flat_map(|name| self.named(kind, name));
        std::iter::once(self.own(kind)).chain(given).collect()
    }

    fn named(&self, kind: &str, name: &str) -> Vec<String> {
        match self.real(&format!("{kind}/{name}")) {
            Some(arn) => vec![arn],
            None => [format!("iam::*:{kind}/{name}"), format!("iam::*:{kind}/*/{name}")]
                .map(|rest| self.arn(&rest))
                .to_vec(),
        }
    }

    /// The roles that are passed to machines. Which roles instance profiles have only IAM knows: without its answer, any.
    fn passed_roles(&self) -> Vec<String> {
        let of_profile = |name: &&str| self.real(&format!("instance-profile/{name}/role"));
        let Some(of_profiles) = self.profiles.iter().map(of_profile).collect::<Option<BTreeSet<String>>>()
        else {
            return vec![self.arn(&format!("iam::*{ANY_ROLE}"))];
        };
        let own = self.creates_role.then(|| self.own("role"));
        let given = self.roles.iter().flat_map(|name| self.named("role", name));
        own.into_iter().chain(given).chain(of_profiles).collect()
    }

    /// The ARN of what the config names otherwise.
    fn real(&self, name: &str) -> Option<String> {
        self.real.and_then(|real| real.get(name)).cloned()
    }

    /// The ARN of a key; for an alias, which IAM does not take, those of all keys of its account and region.
    fn key(&self, arn: &str) -> String {
        let of_alias = || {
            let (account, _) = arn.split_once(":alias/")?;
            Some(self.real(arn).unwrap_or_else(|| format!("{account}{ANY_KEY}")))
        };
        of_alias().unwrap_or_else(|| arn.to_owned())
    }

    fn bucket(&self, rest: &str) -> String {
        self.arn(&format!("s3:::{}*{rest}", self.prefix))
    }

    /// The one zone that the user names, where no public one is needed beside it; else any, as the ids of
    /// zones are made up by the cloud.
    fn zones(&self) -> String {
        let given = self.platform.hosted_zone.trim_start_matches("/hostedzone/");
        let id = if given.is_empty() || self.external { "*" } else { given };
        self.arn(&format!("route53:::hostedzone/{id}"))
    }
}

fn all() -> Vec<String> {
    vec![ALL.to_owned()]
}

fn identity_scope(name: &str) -> Scope {
    // Actions on roles that may be the user's own: the others are for roles that are made and removed.
    const USED_ROLES: &[&str] = &["GetRole", PASS_ROLE, "TagRole", "UntagRole"];
    const USED_PROFILES: &[&str] = &["GetInstanceProfile", "TagInstanceProfile", "UntagInstanceProfile"];
    const LISTS: &[&str] =
        &["GetUser", "ListInstanceProfiles", "ListRoles", "ListUsers", "SimulatePrincipalPolicy"];
    match name {
        name if LISTS.contains(&name) => Scope::Global,
        name if USED_ROLES.contains(&name) => Scope::Roles,
        name if USED_PROFILES.contains(&name) => Scope::Profiles,
        name if name.ends_with("ForRole") => Scope::OwnRoles,
        name if name.contains("InstanceProfile") => Scope::OwnProfiles,
        name if name.contains("Role") => Scope::OwnRoles,
        name if name.contains("User") || name.contains("AccessKey") => Scope::Users,
        _ => Scope::Global,
    }
}

fn zone_scope(name: &str) -> Scope {
    match name {
        "GetChange" => Scope::Changes,
        "CreateHostedZone" | "ListHostedZones" | "ListHostedZonesByName" => Scope::Global,
        _ => Scope::Zones,
    }
}

fn bucket_scope(name: &str) -> Scope {
    const PARTS: &[&str] = &["AbortMultipartUpload", "ListMultipartUploadParts"];
    let of_object = name.contains("Object") && !name.contains("Bucket");
    match name {
        "ListAllMyBuckets" => Scope::Global,
        _ if of_object || PARTS.contains(&name) => Scope::Objects,
        _ => Scope::Buckets,
    }
}
