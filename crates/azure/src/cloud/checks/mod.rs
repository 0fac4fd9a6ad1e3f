//! Checks of what facts do not hold: keys, images, identities, rights, locks, providers, quotas. All of them
//! only read.

mod boot_accounts;
mod credentials_mode;
mod disk_sets;
mod findings;
mod identities;
mod image_source;
mod images;
mod keys;
mod locks;
pub(super) mod pages;
mod permissions;
mod providers;
mod quota_needs;
mod quotas;
mod rights;
mod settings;

use landfall_model::plan::Plan;
use landfall_platform::cloud::{Answer, Check};

use super::fault::Fault;
use super::session::Session;

/// The checks that need no plan.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let mut all = providers::checks(session);
    all.extend(locks::checks(session));
    all.extend(permissions::checks(session));
    all.push(credentials_mode::check(session));
    all.extend(images::checks(session));
    all.extend(image_source::checks(session));
    all.extend(disk_sets::checks(session));
    all.extend(identities::checks(session));
    all.extend(boot_accounts::checks(session));
    all.extend(keys::checks(session));
    all.extend(quotas::of_all(session));
    numbered(&mut all);
    all
}

/// The checks of what the plan uses up.
pub(super) fn of_plan<'s>(session: &'s Session<'_>, plan: &'s Plan) -> Vec<Check<'s>> {
    quotas::checks(session, plan)
}

/// The checks that would be made of a plan if there were one: id and field.
pub(super) fn without_plan(session: &Session<'_>) -> Vec<(String, String)> {
    quotas::without_plan(&session.asking)
}

/// Gives checks of the same name numbers, as for a pool that names several things of a kind: the first one
/// keeps its name.
fn numbered(checks: &mut [Check<'_>]) {
    let names: Vec<String> = checks.iter().map(|check| check.id.clone()).collect();
    for (i, check) in checks.iter_mut().enumerate() {
        let earlier = names.iter().take(i).filter(|name| **name == check.id).count();
        if earlier > 0 {
            check.id = format!("{}.{}", check.id, earlier + 1);
        }
    }
}

/// Skips a check as the caller may not see what it rests on, or nobody answers: the installation may still
/// go well.
fn not_proven(fault: &Fault) -> Answer {
    fault.attach(Answer::skipped(format!("not proven: {}", fault.sentence())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::check;

    #[test]
    fn checks_of_one_name_are_numbered() {
        let one = |id: &str| check(id, "x", async { Ok(Answer::passed("")) });
        let mut checks = vec![one("azure.a"), one("azure.b"), one("azure.a"), one("azure.a")];
        numbered(&mut checks);
        let ids: Vec<&str> = checks.iter().map(|check| check.id.as_str()).collect();
        assert_eq!(ids, ["azure.a", "azure.b", "azure.a.2", "azure.a.3"]);
    }
}
