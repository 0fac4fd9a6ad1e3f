//! Whether the caller may do what an installation does.

use std::sync::Arc;

use landfall_diagnostics::Finding;
use landfall_platform::cloud::{Answer, Asking, Check, Verdict, check};
use tokio::sync::OnceCell;

use super::findings;
use super::rights::{Plane, Right, Rights, rights};
use crate::cloud::gather::PLATFORM;
use crate::cloud::session::Session;
use crate::permissions::{needed, needed_for_data};

/// What begins the actions on role assignments, which few roles give.
const ROLES: &str = "microsoft.authorization/roleassignments/";

/// What begins the actions on sets of disk keys. These lie in groups of their own, where checks of their own
/// read them.
const KEYS: &str = "microsoft.compute/diskencryptionsets/";

/// The caller's rights; asked for once for both checks.
type Known = Arc<OnceCell<Result<Rights, Answer>>>;

/// How a finding about missing rights is made: of the field, the missing actions, and the number of all.
type Wording = fn(&str, &[String], usize) -> Finding;

/// The checks of the caller's rights.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, catalogue, .. } = session.asking;
    let (roles, others) = divided(needed(config, catalogue));
    let others = others.into_iter().filter(|action| !action.to_ascii_lowercase().starts_with(KEYS)).collect();
    let known = Known::default();
    let parts: [(&str, Plane, Vec<String>, Wording); 3] = [
        ("azure.permissions", Plane::Resources, others, findings::denied),
        ("azure.role-assignments", Plane::Resources, roles, findings::roles_denied),
        ("azure.data-permissions", Plane::Data, needed_for_data(config), findings::data_denied),
    ];
    let asked = parts.into_iter().filter(|(_, _, actions, _)| !actions.is_empty());
    let one = |(id, plane, actions, wording): (&str, Plane, Vec<String>, Wording)| {
        check(id, PLATFORM, allowed(session, Arc::clone(&known), plane, actions, wording))
    };
    asked.map(one).collect()
}

/// The actions on role assignments, and the others.
fn divided(needed: Vec<String>) -> (Vec<String>, Vec<String>) {
    needed.into_iter().partition(|action| action.to_ascii_lowercase().starts_with(ROLES))
}

async fn allowed(
    session: &Session<'_>,
    known: Known,
    plane: Plane,
    actions: Vec<String>,
    wording: Wording,
) -> Result<Answer, Answer> {
    let rights = known.get_or_init(|| Box::pin(rights(session))).await.clone()?;
    let right = |action: &str| rights.of(plane, action, session.platform);
    let answer = judged(&actions, right, wording);
    let unproven = matches!(answer.verdict, Verdict::Skipped(_));
    Ok(match rights.unseen.first().filter(|_| unproven) {
        Some(fault) => fault.attach(answer),
        None => answer,
    })
}

/// What the rights to these actions come to. One that is missing outweighs those that nobody knows of.
fn judged(actions: &[String], right: impl Fn(&str) -> Right, wording: Wording) -> Answer {
    let asked = actions.len();
    let with = |wanted: Right| -> Vec<String> {
        actions.iter().filter(|action| right(action.as_str()) == wanted).cloned().collect()
    };
    let (missing, unproven) = (with(Right::Denied), with(Right::NotProven));
    let answer = if !missing.is_empty() {
        Answer::found(wording(PLATFORM, &missing, asked)).with("missing", missing)
    } else if !unproven.is_empty() {
        Answer::skipped(format!(
            "not proven: {} of {asked} actions that this config needs depend on role assignments that the \
             caller may not list",
            unproven.len()
        ))
    } else {
        Answer::passed(format!("all {asked} actions that this config needs are allowed"))
    };
    let answer = if unproven.is_empty() { answer } else { answer.with("notProven", unproven) };
    answer.with("asked", asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_outweighs_what_is_not_proven() {
        let actions = ["a", "b"].map(str::to_owned);
        let verdict = |first: Right, second: Right| {
            let right = |action: &str| if action == "a" { first } else { second };
            match judged(&actions, right, findings::denied).verdict {
                Verdict::Found(finding) => finding.code.as_str().to_owned(),
                Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => why,
            }
        };
        assert_eq!(verdict(Right::Denied, Right::NotProven), "LF1139");
        assert!(verdict(Right::Allowed, Right::NotProven).contains("1 of 2 "));
        assert!(verdict(Right::Allowed, Right::Allowed).starts_with("all 2 actions"));
    }

    #[test]
    fn role_assignments_are_told_apart() {
        let needed = [
            "Microsoft.Authorization/roleAssignments/write",
            "Microsoft.Authorization/locks/read",
            "Microsoft.Compute/virtualMachines/write",
        ];
        let (roles, others) = divided(needed.map(str::to_owned).to_vec());
        assert_eq!((roles.len(), others.len()), (1, 2));
        assert_eq!(roles, ["Microsoft.Authorization/roleAssignments/write"]);
    }
}
