//! Whether the roles and instance profiles of machines are there, and can be theirs.

use std::collections::BTreeMap;

use aws_sdk_iam::operation::get_instance_profile::GetInstanceProfileOutput;
use aws_sdk_iam::operation::get_role::GetRoleOutput;
use landfall_aws::permissions::EC2;
use landfall_model::aws::config::MachinePool;
use landfall_platform::cloud::{Answer, Asking, Check, check};
use serde_json::Value;
use url::form_urlencoded;

use super::pages;
use super::settings::{Setting, distinct};
use crate::fault::Sort;
use crate::session::Session;

/// What a machine does to have the rights of its role.
const ASSUME: &str = "sts:assumerole";

/// One check for each role and each instance profile that pools name.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, given, .. } = session.asking;
    let mut all = Vec::new();
    for setting in distinct(config, given, "iamRole", iam_role) {
        let id = format!("aws.iam.role.{}", setting.pool);
        let field = setting.field.clone();
        all.push(check(id, field, role(session, setting)));
    }
    for setting in distinct(config, given, "iamProfile", iam_profile) {
        let id = format!("aws.iam.profile.{}", setting.pool);
        let field = setting.field.clone();
        all.push(check(id, field, profile(session, setting)));
    }
    all
}

fn iam_role(settings: &MachinePool) -> &str {
    &settings.iam_role
}

fn iam_profile(settings: &MachinePool) -> &str {
    &settings.iam_profile
}

async fn role(session: &Session<'_>, setting: Setting) -> Result<Answer, Answer> {
    const CALL: &str = "iam:GetRole";
    let Setting { value: name, field, .. } = setting;
    let iam = session.iam().await?;
    let answer = session.answer(CALL, iam.get_role().role_name(&name).send()).await;
    let missing = || Answer::found(pages::role_missing(&field, &name)).with("role", name.as_str());
    let answer = answer.map_err(|fault| match fault.sort {
        Sort::NotFound => missing(),
        _ => fault.answer(&field),
    })?;
    let found = answer.role().ok_or_else(missing)?;
    let own = session.asking.catalogue.aws.ec2_service_principal(session.region());
    let policy = found.assume_role_policy_document().and_then(document);
    let verdict = match policy {
        Some(policy) if !trusts(&policy, &[own.as_str(), EC2]) => {
            Answer::found(pages::role_not_trusting(&field, &name, &own))
        }
        Some(_) => Answer::passed(format!("the role {name} exists, and machines may assume it")),
        None => Answer::passed(format!("the role {name} exists")),
    };
    Ok(verdict.with("role", found.arn()))
}

async fn profile(session: &Session<'_>, setting: Setting) -> Result<Answer, Answer> {
    const CALL: &str = "iam:GetInstanceProfile";
    let Setting { value: name, field, .. } = setting;
    let iam = session.iam().await?;
    let request = iam.get_instance_profile().instance_profile_name(&name);
    let missing = || Answer::found(pages::profile_missing(&field, &name)).with("profile", name.as_str());
    let answer = session.answer(CALL, request.send()).await.map_err(|fault| match fault.sort {
        Sort::NotFound => missing(),
        _ => fault.answer(&field),
    })?;
    let found = answer.instance_profile().ok_or_else(missing)?;
    let Some(role) = found.roles().first() else {
        return Err(Answer::found(pages::profile_empty(&field, &name)).with("profile", found.arn()));
    };
    let passed = Answer::passed(format!("the instance profile {name} exists and has a role"));
    Ok(passed.with("profile", found.arn()).with("role", role.role_name()))
}

/// The ARNs of the roles and instance profiles that pools name, by kind and name as `role/nodes`, and of the role of
/// each profile, as `instance-profile/nodes/role`: a name says nothing of the path. Unknown ones are left out.
pub(super) async fn arns(session: &Session<'_>) -> BTreeMap<String, String> {
    let Asking { config, given, .. } = session.asking;
    let roles = distinct(config, given, "iamRole", iam_role);
    let profiles = distinct(config, given, "iamProfile", iam_profile);
    let mut found = BTreeMap::new();
    if roles.is_empty() && profiles.is_empty() {
        return found;
    }
    let Ok(iam) = session.iam().await else {
        return found;
    };
    for Setting { value: name, .. } in roles {
        let answer = Box::pin(iam.get_role().role_name(&name).send()).await.ok();
        if let Some(role) = answer.as_ref().and_then(GetRoleOutput::role) {
            found.insert(format!("role/{name}"), role.arn().to_owned());
        }
    }
    for Setting { value: name, .. } in profiles {
        let request = iam.get_instance_profile().instance_profile_name(&name);
        let answer = Box::pin(request.send()).await.ok();
        if let Some(profile) = answer.as_ref().and_then(GetInstanceProfileOutput::instance_profile) {
            found.insert(format!("instance-profile/{name}"), profile.arn().to_owned());
            let role = profile.roles().first().map(|role| role.arn().to_owned());
            found.extend(role.map(|arn| (format!("instance-profile/{name}/role"), arn)));
        }
    }
    found
}

/// A policy as IAM gives it: JSON, encoded for URLs. Some servers leave the encoding out.
fn document(text: &str) -> Option<Value> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).ok();
    }
    // In a form a plus is a blank, in a policy it is a plus.
    let form = format!("policy={}", text.replace('+', "%2B"));
    let (_, policy) = form_urlencoded::parse(form.as_bytes()).next()?;
    serde_json::from_str(&policy).ok()
}

/// Whether a trust policy lets one of the services assume the role. Conditions are not looked at: what they
/// ask for is not known.
fn trusts(policy: &Value, services: &[&str]) -> bool {
    let statements = policy.get("Statement").map(each).unwrap_or_default();
    statements.iter().any(|statement| {
        let allows = statement.get("Effect").and_then(Value::as_str) == Some("Allow");
        let actions = statement.get("Action").map(each).unwrap_or_default();
        let assumes = actions.iter().filter_map(Value::as_str).any(is_assume);
        allows && assumes && statement.get("Principal").is_some_and(|principal| has(principal, services))
    })
}

/// Policies have single values in place of lists of one.
fn each(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        value => std::slice::from_ref(value),
    }
}

fn is_assume(action: &str) -> bool {
    let action = action.to_ascii_lowercase();
    match action.strip_suffix('*') {
        Some(beginning) => ASSUME.starts_with(beginning),
        None => action == ASSUME,
    }
}

fn has(principal: &Value, services: &[&str]) -> bool {
    if principal.as_str() == Some("*") {
        return true;
    }
    let named = principal.get("Service").map(each).unwrap_or_default();
    named.iter().filter_map(Value::as_str).any(|name| name == "*" || services.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const CHINA: &[&str] = &["ec2.amazonaws.com.cn", EC2];

    fn policy(effect: &str, action: &Value, principal: &Value) -> Value {
        let statement = json!({ "Effect": effect, "Action": action, "Principal": principal });
        json!({ "Version": "2012-10-17", "Statement": [statement] })
    }

    #[test]
    fn a_role_must_trust_the_service_of_machines() {
        let service = |name: &str| json!({ "Service": name });
        let assume = json!("sts:AssumeRole");
        let of = |name: &str| policy("Allow", &assume, &service(name));
        assert!(trusts(&of("ec2.amazonaws.com.cn"), CHINA));
        assert!(trusts(&of("ec2.amazonaws.com"), CHINA));
        assert!(!trusts(&of("lambda.amazonaws.com"), CHINA));
        assert!(!trusts(&policy("Deny", &assume, &service(EC2)), CHINA));
        assert!(!trusts(&policy("Allow", &json!("sts:TagSession"), &service(EC2)), CHINA));
        let user = json!({ "AWS": "arn:aws:iam::123456789012:root" });
        assert!(!trusts(&policy("Allow", &assume, &user), CHINA));
        assert!(!trusts(&json!({}), CHINA));
    }

    #[test]
    fn lists_single_values_and_wildcards_are_understood() {
        let both = json!({ "Service": ["lambda.amazonaws.com", EC2] });
        assert!(trusts(&policy("Allow", &json!(["sts:TagSession", "sts:Assume*"]), &both), CHINA));
        let single = json!({ "Effect": "Allow", "Action": "sts:*", "Principal": "*" });
        assert!(trusts(&json!({ "Statement": single }), CHINA));
    }

    #[test]
    fn a_policy_is_read_in_both_forms() {
        let encoded = "%7B%22Statement%22%3A%5B%5D%2C%22Id%22%3A%22a+b%26c%22%7D";
        let expected = json!({ "Statement": [], "Id": "a+b&c" });
        assert_eq!(document(encoded), Some(expected.clone()));
        assert_eq!(document(&format!("\n{expected}")), Some(expected));
        assert_eq!(document("%7B"), None);
    }
}
