//! What terraform would do with each resource of a stage, with the attributes that are known by now.
//!
//! Nothing is changed, neither in the cloud nor in the state. A plan holds secrets: its file lies among the logs,
//! for its owner alone, and is removed once it was read.

#![allow(clippy::disallowed_methods, reason = "terraform is started and the plan's file removed here")]

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use landfall_net::stop::Stop;
use serde::Deserialize;
use serde_json::Value;

use super::fault::Fault;
use super::process::{Process, whole};
use super::run_progress::Tally;
use super::streams::{self, Streams};
use super::{LOCK_TIMEOUT, PARALLELISM, Stage, Terraform, UNREAD, previous_run, run_errors, state};

/// The work as terraform calls it.
const WORK: &str = "plan";
/// Resources that terraform manages, in difference to those that it only reads.
const MANAGED: &str = "managed";
/// The mode of what is only read.
const DATA: &str = "data";

/// What terraform would do with one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its address: `aws_subnet.public["us-east-1a"]`.
    pub address: String,
    /// Its type: `aws_subnet`.
    pub resource: String,
    /// Whether it would be created, as the state does not have it.
    pub creates: bool,
    /// Its id in the state.
    pub id: Option<String>,
    /// Its attributes afterwards, as far as they are known. There may be secrets in them.
    pub values: Value,
    /// What became of it outside of terraform since the state was written, where that matters to the plan.
    pub outside: Option<Outside>,
}

/// What became of a resource outside of terraform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// It no longer exists.
    Removed,
    /// It was changed, and terraform would change it back or replace it.
    Changed,
}

/// What a plan is about.
#[derive(Debug, Default, PartialEq)]
pub struct Changes {
    /// Every managed resource of the stage.
    pub managed: Vec<Change>,
    /// What data sources have read: their type, and their attributes. There may be secrets in them.
    pub read: Vec<(String, Value)>,
}

/// What comes of a plan.
#[derive(Debug)]
pub enum Preview {
    /// Terraform has a plan.
    Changes(Changes),
    /// Terraform has no plan.
    Refused {
        /// What it says of the objects that it looked for, one text for each error. There may be secrets in them.
        said: Vec<String>,
        /// All errors, to be shown.
        fault: Box<Fault>,
    },
}

#[derive(Deserialize)]
struct Plan {
    #[serde(default)]
    resource_changes: Vec<Planned>,
    #[serde(default)]
    resource_drift: Vec<Planned>,
    #[serde(default)]
    prior_state: Prior,
}

/// What was there before, and what was read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Prior {
    values: PriorValues,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PriorValues {
    root_module: Module,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Module {
    resources: Vec<Held>,
}

#[derive(Deserialize)]
struct Held {
    mode: String,
    #[serde(rename = "type")]
    resource: String,
    #[serde(default)]
    values: Value,
}

#[derive(Deserialize)]
struct Planned {
    address: String,
    mode: String,
    #[serde(rename = "type")]
    resource: String,
    change: Difference,
}

#[derive(Deserialize)]
struct Difference {
    actions: Vec<String>,
    #[serde(default)]
    before: Value,
    #[serde(default)]
    after: Value,
}

impl Difference {
    /// Whether a planned change sets an attribute of this one to another value.
    fn is_set_back_by(&self, planned: &Self) -> bool {
        let attributes = self.after.as_object().into_iter().flatten();
        let mut changed = attributes.filter(|(name, value)| self.before.get(name) != Some(value));
        // What is not known before the change is not in the plan.
        changed.any(|(name, value)| planned.after.get(name).is_some_and(|after| after != value))
    }
}

impl Terraform {
    /// What [`Terraform::run`] would do with a stage that was prepared by [`Terraform::init`]. Waits before for an
    /// earlier run that still works on it.
    ///
    /// # Errors
    /// Terraform does not run, was killed or asked to stop, or its plan cannot be read.
    pub async fn preview(&self, stage: &Stage<'_>, stop: &Stop) -> Result<Preview, Fault> {
        previous_run::wait(self.program.name, stage, None, stop).await?;
        self.not_stopped(stage, WORK, stop)?;
        state::restrict(stage.folder)?;
        let streams = Streams::create(stage.log, &format!("{}-{WORK}", stage.name), "jsonl")?;
        let (output, errors) = (streams.output.clone(), streams.errors.clone());
        let plan = whole(&stage.log.join(format!("{}.plan", stage.name)))?;
        let mut arguments = arguments(stage, &plan)?;
        if self.continues {
            arguments.push(UNREAD.into());
        }
        let process = Process::start(&self.program.path, stage, WORK, &arguments, streams)?;
        let ended = process.end(stage, stop, || {}).await?;
        let mut tally = Tally::default();
        for line in streams::read(&output)?.unwrap_or_default().split(|byte| *byte == b'\n') {
            tally.take(line, Duration::ZERO);
        }
        let judged = self.judge(stage, WORK, ended, &tally, &output, &errors);
        let preview = match judged {
            Ok(()) => self.read(stage, &plan).await.map(Preview::Changes),
            Err(fault @ Fault::Failed(_)) => {
                let said = tally.errors.iter().map(|error| format!("{}\n{}", error.summary, error.detail));
                let said = said.filter(|text| run_errors::tells_of_objects(text)).collect();
                Ok(Preview::Refused { said, fault: Box::new(fault) })
            }
            Err(fault) => Err(fault),
        };
        // There is none where terraform did not come so far.
        let _ = std::fs::remove_file(&plan);
        preview
    }

    /// The changes in the file of a plan.
    async fn read(&self, stage: &Stage<'_>, plan: &Path) -> Result<Changes, Fault> {
        let [show, json, colorless] = ["show", "-json", "-no-color"].map(OsStr::new);
        let printed = self.with_state(stage, &[show, json, colorless, plan.as_os_str()]).await?;
        let why = "its plan cannot be read".to_owned();
        changes(&printed).ok_or_else(|| Fault::State { path: stage.folder.join(state::STATE), why })
    }
}

/// What a plan is about; none where it is of another form.
fn changes(bytes: &[u8]) -> Option<Changes> {
    let plan: Plan = serde_json::from_slice(bytes).ok()?;
    let drift = plan.resource_drift;
    let outside = |planned: &Planned| {
        let drifted = drift.iter().find(|drifted| drifted.address == planned.address)?;
        match drifted.change.actions.as_slice() {
            [action] if action == "delete" => Some(Outside::Removed),
            // Attributes that Terraform only records are not differences from the plan. Nor are those of a resource
            // that is changed or replaced for another reason.
            _ if drifted.change.is_set_back_by(&planned.change) => Some(Outside::Changed),
            _ => None,
        }
    };
    let managed = plan.resource_changes.into_iter().filter(|planned| planned.mode == MANAGED);
    let change = |planned: Planned| Change {
        outside: outside(&planned),
        address: planned.address,
        resource: planned.resource,
        creates: planned.change.actions == ["create"],
        id: planned.change.before.get("id").and_then(Value::as_str).map(str::to_owned),
        values: planned.change.after,
    };
    let held = plan.prior_state.values.root_module.resources.into_iter();
    let read = held.filter(|held| held.mode == DATA).map(|held| (held.resource, held.values));
    Some(Changes { managed: managed.map(change).collect(), read: read.collect() })
}

fn arguments(stage: &Stage<'_>, plan: &Path) -> Result<Vec<OsString>, Fault> {
    let fixed = [WORK, "-json", "-input=false", PARALLELISM, LOCK_TIMEOUT];
    let mut arguments: Vec<OsString> = fixed.iter().map(OsString::from).collect();
    let mut named = |flag: &str, path: &Path| {
        let mut argument = OsString::from(flag);
        argument.push(path);
        arguments.push(argument);
    };
    named("-out=", plan);
    for file in stage.variables {
        named("-var-file=", &whole(file)?);
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn says_what_is_created_and_what_the_state_has() {
        let plan = json!({ "resource_changes": [
            { "address": "data.aws_vpc.given[0]", "mode": "data", "type": "aws_vpc", "name": "given",
              "change": { "actions": ["read"], "before": null, "after": {} } },
            { "address": "aws_vpc.new[0]", "mode": "managed", "type": "aws_vpc", "name": "new",
              "change": { "actions": ["no-op"], "before": { "id": "vpc-1" }, "after": { "id": "vpc-1" } } },
            { "address": "aws_eip.nat[\"a\"]", "mode": "managed", "type": "aws_eip", "name": "nat",
              "change": { "actions": ["delete", "create"], "before": { "id": "eip-1" }, "after": {} } },
            { "address": "aws_subnet.public[\"a\"]", "mode": "managed", "type": "aws_subnet", "name": "public",
              "change": { "actions": ["create"], "before": null, "after": { "vpc_id": "vpc-1" } } },
        ], "prior_state": { "values": { "root_module": { "resources": [
            { "mode": "managed", "type": "aws_vpc", "values": { "id": "vpc-1" } },
            { "mode": "data", "type": "aws_vpc", "values": { "id": "vpc-2" } },
        ] } } } });
        let Changes { managed: found, read } = changes(plan.to_string().as_bytes()).unwrap_or_default();
        assert_eq!(read, [("aws_vpc".to_owned(), json!({ "id": "vpc-2" }))]);
        let short: Vec<(&str, bool, Option<&str>)> =
            found.iter().map(|one| (one.address.as_str(), one.creates, one.id.as_deref())).collect();
        assert_eq!(
            short,
            [
                ("aws_vpc.new[0]", false, Some("vpc-1")),
                ("aws_eip.nat[\"a\"]", false, Some("eip-1")),
                ("aws_subnet.public[\"a\"]", true, None),
            ]
        );
        assert_eq!(found.last().map(|one| one.values["vpc_id"].clone()), Some(json!("vpc-1")));
        assert_eq!(changes(b"{\"resource_changes\":[{}]}"), None);
    }

    #[test]
    fn says_what_was_removed_or_changed_by_hand() {
        let one = |name: &str, actions: &[&str], before: Value, after: Value| {
            json!({ "address": format!("aws_subnet.{name}"), "mode": "managed", "type": "aws_subnet", "name": name,
                    "change": { "actions": actions, "before": before, "after": after } })
        };
        let (made, edited) = (json!({ "id": "a", "tags": "made" }), json!({ "id": "a", "tags": "edited" }));
        let replacement = ["delete", "create"];
        let plan = json!({
            "resource_changes": [
                one("gone", &["create"], Value::Null, made.clone()),
                one("edited", &["update"], edited.clone(), made.clone()),
                one("noted", &["no-op"], edited.clone(), edited.clone()),
                one("new", &["create"], Value::Null, made.clone()),
                // One that is replaced for another reason: its id is not known before.
                one("tainted", &replacement, json!({ "id": "b" }), json!({ "tags": "made" })),
            ],
            "resource_drift": [
                one("gone", &["delete"], made.clone(), Value::Null),
                one("edited", &["update"], made.clone(), edited.clone()),
                one("noted", &["update"], made, edited),
                one("tainted", &["update"], json!({ "id": "a" }), json!({ "id": "b" })),
            ],
        });
        let found = changes(plan.to_string().as_bytes()).unwrap_or_default().managed;
        let outside: Vec<Option<Outside>> = found.iter().map(|change| change.outside).collect();
        assert_eq!(outside, [Some(Outside::Removed), Some(Outside::Changed), None, None, None]);
    }
}
