//! How things go: each with one call, and what the resource manager says of it in words that tell what to do.

use std::sync::PoisonError;

use azure_core::http::Method;
use landfall_diagnostics::{Finding, Kind};
use landfall_platform::removal::{Disposition, Outcome, Resource};
use serde_json::Value;

use super::holders::{denials, locks};
use super::kinds::{APPLICATION, RECORD, ROLE_ASSIGNMENT, SERVICE_PRINCIPAL, SUBNET_USE, row_of};
use super::names::{group_id_of, type_of};
use super::release::{is_tagged, release};
use super::subnet_uses::{is_used, let_go};
use super::{Ask, AzureRemoval, pages, unasked};
use crate::cloud::api_versions::Api;
use crate::cloud::arm::{if_there, named, read};
use crate::cloud::described::{Lock, Provider};
use crate::cloud::fault::{Fault, Sort};
use crate::cloud::gather::resource;
use crate::cloud::operations::{Begun, Operation};

/// The code of what a lock prevents.
pub(super) const LOCKED: &str = "ScopeLocked";
/// The code of what a deny assignment prevents.
pub(super) const PROTECTED: &str = "DenyAssignmentAuthorizationFailed";
/// The code of what Azure asks to be repeated.
const RETRYABLE: &str = "RetryableError";

/// What came of a call.
enum Done {
    Gone,
    Going,
}

/// Begins to remove a thing, or to release it.
pub(super) async fn remove(removal: &AzureRemoval<'_>, thing: &Resource) -> Outcome {
    if went_with_group(thing) {
        return Outcome::Gone;
    }
    let session = removal.session();
    let ask = match removal.ask(&session).await {
        Ok(ask) => ask,
        Err(verdict) => return Outcome::Failed { why: unasked(verdict).message },
    };
    let begun = Box::pin(begin(removal, &ask, thing)).await;
    told(removal, &ask, thing, begun).await
}

/// Whether a thing that was going is gone.
pub(super) async fn look(removal: &AzureRemoval<'_>, thing: &Resource) -> Outcome {
    let session = removal.session();
    let ask = match removal.ask(&session).await {
        Ok(ask) => ask,
        Err(verdict) => return Outcome::Failed { why: unasked(verdict).message },
    };
    let seen = Box::pin(standing(removal, &ask, thing)).await;
    told(removal, &ask, thing, seen).await
}

/// Whether a thing has gone with its group: where it waits for that, it is not removed by itself.
fn went_with_group(thing: &Resource) -> bool {
    let group = group_id_of(&thing.id).filter(|_| thing.fate == Disposition::Removed);
    group.is_some_and(|group| thing.after.iter().any(|id| id.eq_ignore_ascii_case(group)))
}

async fn begin(removal: &AzureRemoval<'_>, ask: &Ask<'_>, thing: &Resource) -> Result<Done, Fault> {
    if is_of_directory(thing) {
        if let Some(directory) = removal.directory().await? {
            directory.delete(&thing.id).await?;
        }
        return Ok(Done::Gone);
    }
    let begun = if thing.fate == Disposition::Released {
        release(ask.arm, &ask.owner, &thing.id).await?
    } else if *thing.kind == SUBNET_USE {
        let_go(ask.arm, &thing.id).await?
    } else {
        let version = version(ask, &thing.id).await?;
        ask.arm.begin_delete(&version, &thing.id).await?
    };
    match begun {
        Begun::Ended if [&RECORD, &ROLE_ASSIGNMENT].contains(&thing.kind) => confirmed(ask, &thing.id).await,
        Begun::Ended => Ok(Done::Gone),
        Begun::Going(operation) => {
            removal.keep(thing, operation);
            Ok(Done::Going)
        }
    }
}

/// That something is gone as was answered. A record or a role is found by what goes after it, so that a later look
/// would not find one that is still there.
async fn confirmed(ask: &Ask<'_>, id: &str) -> Result<Done, Fault> {
    match described(ask, id).await? {
        None => Ok(Done::Gone),
        Some(_) => Err(Fault::not_understood(
            &named("DELETE", id),
            "Azure reported success, but the resource \
                still exists",
        )),
    }
}

async fn standing(removal: &AzureRemoval<'_>, ask: &Ask<'_>, thing: &Resource) -> Result<Done, Fault> {
    if let Some(operation) = removal.operation_of(thing) {
        match ask.arm.progress(&operation).await {
            Ok(Some(next)) => {
                removal.keep(thing, Some(next));
                return Ok(Done::Going);
            }
            Ok(None) => {
                removal.keep(thing, None);
                return Ok(Done::Gone);
            }
            // Nobody knows the operation any more: the thing itself tells.
            Err(fault) if fault.is_absence() => removal.keep(thing, None),
            Err(fault) => {
                if is_answer(&fault) {
                    removal.keep(thing, None);
                }
                return Err(fault);
            }
        }
    }
    let gone = |there: bool| if there { Done::Going } else { Done::Gone };
    if thing.fate == Disposition::Released {
        return is_tagged(ask.arm, &ask.owner, &thing.id).await.map(gone);
    }
    if *thing.kind == SUBNET_USE {
        return is_used(ask.arm, &thing.id).await.map(gone);
    }
    if is_of_directory(thing) {
        return match removal.directory().await? {
            Some(directory) => directory.has(&thing.id).await.map(gone),
            None => Ok(Done::Gone),
        };
    }
    let Some(described) = described(ask, &thing.id).await? else {
        return Ok(Done::Gone);
    };
    let state = described.pointer("/properties/provisioningState").and_then(Value::as_str);
    if state.is_some_and(|state| state.eq_ignore_ascii_case("Failed")) {
        return Err(Fault::unmade(&named("DELETE", &thing.id), "its provisioning state is Failed"));
    }
    Ok(Done::Going)
}

/// Whether Azure itself said so, rather than the way to it.
fn is_answer(fault: &Fault) -> bool {
    matches!(fault.sort, Sort::Service | Sort::Denied | Sort::NotFound)
}

fn is_of_directory(thing: &Resource) -> bool {
    [&APPLICATION, &SERVICE_PRINCIPAL].contains(&thing.kind)
}

impl AzureRemoval<'_> {
    /// Keeps the operation of a thing, or forgets it.
    fn keep(&self, thing: &Resource, operation: Option<Operation>) {
        let mut all = self.operations.lock().unwrap_or_else(PoisonError::into_inner);
        match operation {
            Some(operation) => all.insert(thing.id.clone(), operation),
            None => all.remove(&thing.id),
        };
    }

    fn operation_of(&self, thing: &Resource) -> Option<Operation> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner).get(&thing.id).cloned()
    }
}

/// What is at an id; none where nothing is.
async fn described(ask: &Ask<'_>, id: &str) -> Result<Option<Value>, Fault> {
    let version = version(ask, id).await?;
    let call = named("GET", id);
    let url = ask.arm.url_in(&call, &version, id, &[])?;
    let response = if_there(ask.arm.send(&call, Method::Get, &url, None).await)?;
    response.map(|response| read(&call, &response)).transpose()
}

/// The version in which a resource is removed: that of its kind, or for other kinds the newest one that its
/// provider names.
async fn version(ask: &Ask<'_>, id: &str) -> Result<String, Fault> {
    let Some(name) = type_of(id) else {
        return Ok(ask.arm.version(Api::RESOURCE_GROUPS).to_owned());
    };
    if let Some(row) = row_of(&name) {
        return Ok(ask.arm.version(row.api).to_owned());
    }
    let (namespace, kind) = name.split_once('/').unwrap_or((name.as_str(), ""));
    let subscription = resource::subscription(&ask.subscription);
    let path = format!("{subscription}/providers/{}", resource::segment(namespace));
    let provider = ask.arm.get::<Provider>(Api::PROVIDERS, &path, &[]).await?;
    let call = named("DELETE", id);
    newest(&provider, kind).ok_or_else(|| Fault::unmade(&call, "its provider does not know its type"))
}

/// The newest version of a type, a preview only where there is nothing else.
fn newest(provider: &Provider, kind: &str) -> Option<String> {
    let own = provider.resource_types.iter().find(|known| known.name.eq_ignore_ascii_case(kind))?;
    let is_final = |version: &&String| version.len() == "2021-04-01".len();
    let newest = own.api_versions.iter().filter(is_final).max();
    newest.or_else(|| own.api_versions.iter().max()).cloned()
}

/// What is to be said of a call.
async fn told(
    removal: &AzureRemoval<'_>,
    ask: &Ask<'_>,
    thing: &Resource,
    done: Result<Done, Fault>,
) -> Outcome {
    let fault = match done {
        Ok(Done::Going) => return Outcome::Going,
        Err(fault) if !fault.is_absence() => fault,
        Ok(Done::Gone) | Err(_) => {
            removal.note(thing, None);
            return Outcome::Gone;
        }
    };
    removal.note(thing, Some(&fault));
    if fault.is(LOCKED) {
        let locks = locks(ask, thing).await;
        let words: Vec<String> = locks.iter().map(Lock::words).collect();
        let words = if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) };
        return Outcome::Held { why: format!("{}{words}", fault.sentence()) };
    }
    if fault.is(PROTECTED) {
        let names: Vec<String> =
            denials(ask, thing).await.iter().map(|denial| denial.words(&ask.subscription)).collect();
        return Outcome::Refused(Box::new(protected(thing, &names, &fault)));
    }
    match fault.sort {
        Sort::Denied => Outcome::Refused(Box::new(denied(thing, &fault))),
        Sort::Service if !fault.is_trouble() && !fault.is(RETRYABLE) => {
            Outcome::Held { why: fault.sentence() }
        }
        _ => Outcome::Failed { why: fault.sentence() },
    }
}

fn denied(thing: &Resource, fault: &Fault) -> Finding {
    let message = format!("the {} `{}` cannot be removed: {}", thing.kind.name, thing.name, fault.sentence());
    let help = "assign the caller a role with the action in Azure's message, on the resource or its group; \
        then run the command again";
    Finding::error(&pages::DENIED, Kind::Forbidden, "", message).help(help)
}

fn protected(thing: &Resource, names: &[String], fault: &Fault) -> Finding {
    let by = if names.is_empty() { fault.sentence() } else { names.join(", ") };
    let message = format!("the {} `{}` is protected by a deny assignment: {by}", thing.kind.name, thing.name);
    let help = "remove the owner of the deny assignment: a deployment stack (az stack group list, az \
        stack sub list), a managed application or a blueprint; `az rest --method get --url \
        <scope>/providers/Microsoft.Authorization/denyAssignments?api-version=2022-04-01` shows it";
    Finding::error(&pages::DENY_ASSIGNMENT, Kind::Forbidden, "", message).help(help)
}

#[cfg(test)]
mod tests {
    use super::super::kinds::OTHER;
    use super::*;
    use crate::cloud::described::ResourceType;

    #[test]
    fn what_waits_for_its_group_goes_with_it() {
        let disk = |after: &str, fate: Disposition| Resource {
            id: "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/disks/d".to_owned(),
            kind: &OTHER,
            name: String::new(),
            fate,
            after: vec![after.to_owned()],
        };
        let group = "/subscriptions/s/resourcegroups/RG";
        assert!(went_with_group(&disk(group, Disposition::Removed)));
        assert!(!went_with_group(&disk(group, Disposition::Released)));
        assert!(!went_with_group(&disk("/subscriptions/s/resourceGroups/rg2", Disposition::Removed)));
    }

    #[test]
    fn the_newest_version_is_no_preview_if_it_can_be() {
        let provider = |versions: &[&str]| Provider {
            resource_types: vec![ResourceType {
                name: "craters/rims".to_owned(),
                api_versions: versions.iter().map(|version| (*version).to_owned()).collect(),
                ..ResourceType::default()
            }],
            ..Provider::default()
        };
        let of = |versions: &[&str]| newest(&provider(versions), "Craters/Rims");
        assert_eq!(of(&["2020-01-01", "2023-05-01-preview", "2021-06-01"]).as_deref(), Some("2021-06-01"));
        assert_eq!(of(&["2020-01-01-preview"]).as_deref(), Some("2020-01-01-preview"));
        assert_eq!(of(&[]), None);
        assert_eq!(newest(&provider(&["2020-01-01"]), "rims"), None);
    }
}
