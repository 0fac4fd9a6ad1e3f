//! The formats of `-o json`, described for their JSON Schemas. A schema describes what a command prints; the
//! commands build their values themselves, and tests compare what they print with these schemas.

mod cost;
mod node;
mod operator;
mod plans;
mod words;

use cost::Cost;
use node::Node;
use operator::{ObjectsReport, OperatorCheck, OperatorRelease};
use plans::{ObjectsPlan, ResourceGraph};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value};
use words::{
    AlreadyGone, AssetKind, Checked, Goal, Judged, Planned, Refusal, Removal, Severity, Source, Status,
    Waited,
};

/// A value that can be `null` and is always there.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[allow(dead_code, reason = "the type describes a format")]
enum Nullable<T> {
    Known(T),
    Unknown(()),
}

macro_rules! formats {
    ($($(#[$meta:meta])* $name:ident { $($body:tt)* })*) => {$(
        $(#[$meta])*
        #[derive(JsonSchema)]
        #[schemars(deny_unknown_fields, rename_all = "camelCase")]
        #[allow(dead_code, clippy::struct_field_names, reason = "the type describes a format")]
        struct $name { $($body)* }
    )*};
}

formats! {
    /// A finding at a place in a file. Lines and columns count from 1; the end is one past the last
    /// character.
    Finding {
        /// Code, such as `LF0102`; `landfall explain` prints its page.
        code: String,
        severity: Severity,
        /// Kind of the error, as Kubernetes has them.
        kind: String,
        /// Path of the field; empty if the finding is about no field.
        field: String,
        message: String,
        help: Option<String>,
        line: u32,
        column: u32,
        end_line: u32,
        end_column: u32,
    }
    /// A finding without a place in a file.
    Remark {
        /// Code, such as `LF1304`; `landfall explain` prints its page.
        code: String,
        severity: Severity,
        /// Kind of the error, as Kubernetes has them.
        kind: String,
        /// Path of the field; empty if the finding is about no field.
        field: String,
        message: String,
        help: Option<String>,
    }
    /// Output of `validate`, one object a file; also of other commands that refuse an input file.
    Validate {
        /// Name as given on the command line, or as found in a directory.
        file: String,
        outcome: Judged,
        findings: Vec<Finding>,
    }
    /// Output of a command that refuses to work.
    Refused {
        outcome: Refusal,
        findings: Vec<Remark>,
    }
    /// A check of preflight.
    Check {
        /// Name, unique in a run.
        id: String,
        status: Status,
        /// Path of the field in the install config; empty if the check is about no field.
        field: String,
        /// Code of the finding; with `failed` and `warned` only.
        code: Option<String>,
        message: String,
        help: Option<String>,
        line: Option<u32>,
        column: Option<u32>,
        end_line: Option<u32>,
        end_column: Option<u32>,
        /// Duration in milliseconds.
        duration_ms: u64,
        /// Facts that the check has seen.
        evidence: Map<String, Value>,
    }
    /// Output of `preflight`.
    Preflight {
        outcome: Checked,
        checks: Vec<Check>,
    }
    /// Output of `version`.
    Version {
        name: String,
        version: String,
    }
    /// Output of `regions`, one object a line.
    Region {
        platform: String,
        region: String,
        /// Name for people; empty if it is unknown.
        name: String,
        /// Why the region is known.
        reasons: Vec<String>,
    }
    /// An asset of a cluster.
    Asset {
        /// Name; of a file its path in the cluster directory, in which `*` means any text.
        name: String,
        kind: AssetKind,
        /// Names of the assets that it is generated from.
        needs: Vec<String>,
    }
    /// Output of `explain CODE`.
    Code {
        code: String,
        title: String,
        severity: Severity,
        text: String,
        fields: Vec<String>,
        /// YAML that has the finding; empty without an example.
        wrong: String,
        /// YAML without the finding; empty without an example.
        right: String,
    }
    /// A rule for a field.
    Rule {
        code: String,
        title: String,
    }
    /// A field below another one.
    FieldLine {
        name: String,
        r#type: String,
        description: String,
    }
    /// Output of `explain FIELD`.
    Field {
        /// Path, with `[]` for list positions; empty for the whole config.
        field: String,
        r#type: String,
        description: String,
        /// `always`, or a condition.
        required: Option<String>,
        default: Option<Value>,
        accepted: Option<Vec<Value>>,
        pattern: Option<String>,
        examples: Option<Vec<Value>>,
        deprecated: bool,
        fields: Option<Vec<FieldLine>>,
        rules: Vec<Rule>,
    }
    /// A task that an engine leaves to others.
    Outside {
        what: String,
        by: String,
        how: String,
    }
    /// Output of `explain --engine aso`.
    Engine {
        engine: String,
        outside: Vec<Outside>,
    }
    /// Output of `create install-config`.
    InstallConfig {
        file: String,
        platform: String,
        region: String,
    }
    /// Output of `create manifests`; with `--fleet` one object a cluster.
    Manifests {
        /// Cluster directory.
        dir: String,
        #[schemars(rename = "infraID")]
        infra_id: String,
        #[schemars(rename = "clusterID")]
        cluster_id: String,
        /// OpenShift release.
        release: String,
        facts: Source,
        /// Files that are new or changed, as paths below the directory.
        written: Vec<String>,
        unchanged: Vec<String>,
        /// Files that landfall did not replace, because they were edited.
        kept: Vec<String>,
        removed: Vec<String>,
        findings: Vec<Finding>,
    }
    /// Output of `create manifests --fleet` for a cluster that failed.
    FleetError {
        dir: String,
        error: String,
    }
    /// Resources of one type in a plan.
    PlannedResources {
        /// Type of Terraform's provider.
        r#type: String,
        kind: String,
        count: u32,
        names: Vec<String>,
        detail: String,
    }
    /// Existing resources that a run tags.
    Adopted {
        kind: String,
        names: Vec<String>,
        detail: String,
    }
    /// Resources that the cluster creates itself.
    Later {
        kind: String,
        count: u32,
        names: Vec<String>,
        detail: String,
    }
    /// A stage of a plan.
    Stage {
        name: String,
        /// Whether `destroy bootstrap` removes it.
        temporary: bool,
        resources: Vec<PlannedResources>,
        /// Time since which the stage is unchanged.
        exists_since: Option<String>,
    }
    /// A stage that an earlier run removed.
    RemovedStage {
        name: String,
        time: String,
    }
    /// Resources by state.
    Counts {
        total: u64,
        existing: u64,
        to_create: u64,
    }
    /// What a run creates.
    Summary {
        stages: Vec<Stage>,
        adopted: Vec<Adopted>,
        later: Vec<Later>,
        removed: Option<Vec<RemovedStage>>,
        counts: Counts,
    }
    /// Output of `create cluster --plan`.
    ClusterPlan {
        outcome: Planned,
        dir: String,
        #[schemars(rename = "infraID")]
        infra_id: String,
        #[schemars(rename = "clusterID")]
        cluster_id: String,
        release: String,
        summary: Summary,
        /// With `--prices`.
        cost: Option<Cost>,
        findings: Vec<Finding>,
        /// With the native engine: the resources, those that another one needs first.
        resources: Option<Vec<Node>>,
    }
    /// A resource of a cluster in its cloud.
    Resource {
        kind: String,
        /// Name; empty if it does not have one.
        name: String,
        /// ID, unique in a run: an ARN, or an Azure resource ID.
        id: String,
    }
    /// The caller.
    Account {
        /// Account or subscription.
        id: String,
        caller: String,
    }
    /// Resources that can be removed at the same time.
    Wave {
        resources: Vec<Resource>,
    }
    /// Output of `destroy cluster --plan`.
    RemovalPlan {
        outcome: Planned,
        #[schemars(rename = "infraID")]
        infra_id: String,
        platform: String,
        account: Account,
        waves: Vec<Wave>,
        /// Resources that are kept and lose the cluster's tag.
        released: Vec<Resource>,
        findings: Vec<Remark>,
    }
    /// A resource that uses another one.
    Holder {
        what: String,
        /// Whether it belongs to the cluster.
        own: bool,
    }
    /// A resource that was not removed.
    Remaining {
        kind: String,
        name: String,
        id: String,
        why: String,
        holders: Vec<Holder>,
        help: String,
    }
    /// Changes of the cluster directory.
    Local {
        removed: Vec<String>,
        kept: Vec<String>,
        /// Path to which `metadata.json` was moved.
        metadata: String,
    }
    /// Output of `destroy cluster` after a removal.
    RemovalReport {
        outcome: Removal,
        #[schemars(rename = "infraID")]
        infra_id: String,
        platform: String,
        account: Account,
        removed: Vec<Resource>,
        released: Vec<Resource>,
        left: Vec<Remaining>,
        /// Calls to the cloud after the first scan.
        calls: u64,
        /// Whole seconds since the first scan.
        seconds: u64,
        local: Nullable<Local>,
        /// Accepted findings, with `--accept`.
        accepted: Option<Vec<String>>,
        findings: Vec<Remark>,
    }
    /// Output of `destroy cluster` for a cluster that is gone already.
    NothingFound {
        outcome: AlreadyGone,
        #[schemars(rename = "infraID")]
        infra_id: String,
        platform: String,
        account: Account,
        local: Nullable<Local>,
        /// Accepted findings, with `--accept`.
        accepted: Option<Vec<String>>,
        findings: Vec<Remark>,
    }
    /// Output of `destroy find`, one object a cluster.
    Found {
        #[schemars(rename = "infraID")]
        infra_id: String,
        platform: String,
        region: String,
        /// Resources with the cluster's tag that were seen.
        resources: u64,
        /// Account or subscription; if several were searched.
        account: Option<String>,
        /// Profile of the account; with `--profile`.
        profile: Option<String>,
    }
    /// Why a wait ended.
    WaitFinding {
        code: String,
        message: String,
        help: Option<String>,
    }
    /// A cluster operator.
    Operator {
        name: String,
        ready: bool,
        available: bool,
        progressing: bool,
        degraded: bool,
        message: String,
    }
    /// Output of `wait-for`.
    WaitFor {
        what: Goal,
        outcome: Waited,
        elapsed_seconds: u64,
        /// URL of the API; absent if the kubeconfig is refused.
        server: Option<String>,
        version: Option<String>,
        operators: Option<Vec<Operator>>,
        console: Option<String>,
        kubeconfig: Option<String>,
        password_file: Option<String>,
        finding: Option<WaitFinding>,
    }
    /// A service endpoint.
    Endpoint {
        name: String,
        url: String,
    }
    /// A file of the archive of `gather`.
    GatheredFile {
        /// Path in the archive, below its one folder.
        path: String,
        bytes: u64,
        about: String,
        /// How many secrets were replaced.
        redacted: u64,
    }
    /// What the archive of `gather` does not have.
    MissingFile {
        path: String,
        why: String,
    }
    /// Output of `gather`.
    Gather {
        /// Path of the archive.
        archive: String,
        files: Vec<GatheredFile>,
        missing: Vec<MissingFile>,
        findings: Vec<Remark>,
    }
    /// Output of `metadata refresh`.
    Refresh {
        /// Whether metadata.json changed.
        changed: bool,
        service_endpoints: Vec<Endpoint>,
    }
}

fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

/// The schema of one object of the output of each command, by the name of its file. Sorted by name.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Value)> {
    let all = [
        ("aso-check", of::<OperatorCheck>()),
        ("aso-objects", of::<ObjectsReport>()),
        ("aso-release", of::<OperatorRelease>()),
        ("create-cluster-plan", of::<ClusterPlan>()),
        ("create-cluster-plan-aso", of::<ObjectsPlan>()),
        ("create-install-config", of::<InstallConfig>()),
        ("create-manifests", of::<Manifests>()),
        ("create-manifests-fleet-error", of::<FleetError>()),
        ("destroy-cluster", of::<RemovalReport>()),
        ("destroy-cluster-already-gone", of::<NothingFound>()),
        ("destroy-cluster-plan", of::<RemovalPlan>()),
        ("destroy-find", of::<Found>()),
        ("explain-code", of::<Code>()),
        ("explain-engine", of::<Engine>()),
        ("explain-field", of::<Field>()),
        ("gather", of::<Gather>()),
        ("graph", of::<Vec<Asset>>()),
        ("graph-resources", of::<ResourceGraph>()),
        ("metadata-refresh", of::<Refresh>()),
        ("preflight", of::<Preflight>()),
        ("refused", of::<Refused>()),
        ("regions", of::<Region>()),
        ("validate", of::<Validate>()),
        ("version", of::<Version>()),
        ("wait-for", of::<WaitFor>()),
    ];
    all.into_iter().map(|(name, schema)| (name, schema.to_value())).collect()
}
