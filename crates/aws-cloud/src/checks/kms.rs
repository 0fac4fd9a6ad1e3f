//! Whether the keys that encrypt volumes can be used.

use std::collections::BTreeMap;

use aws_sdk_kms::types::{KeyMetadata, KeySpec, KeyState, KeyUsageType};
use landfall_model::aws::config::MachinePool;
use landfall_platform::cloud::{Answer, Asking, Check, check};

use super::pages;
use super::settings::{Setting, distinct};
use crate::fault::Sort;
use crate::session::Session;

/// One check for each key that pools name.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, given, .. } = session.asking;
    let mut all = Vec::new();
    for setting in distinct(config, given, "rootVolume.kmsKeyARN", key) {
        let id = format!("aws.kms.{}", setting.pool);
        let field = setting.field.clone();
        all.push(check(id, field, usable(session, setting)));
    }
    all
}

fn key(settings: &MachinePool) -> &str {
    &settings.root_volume.kms_key_arn
}

async fn usable(session: &Session<'_>, setting: Setting) -> Result<Answer, Answer> {
    const CALL: &str = "kms:DescribeKey";
    let Setting { value: arn, field, .. } = setting;
    if let Some(region) = region_of(&arn).filter(|region| *region != session.region()) {
        let finding = pages::key_elsewhere(&field, &arn, region, session.region());
        return Err(Answer::found(finding).with("key", arn));
    }
    let kms = session.kms().await?;
    let answer = session.answer(CALL, kms.describe_key().key_id(&arn).send()).await;
    let missing = || Answer::found(pages::key_missing(&field, &arn)).with("key", arn.as_str());
    let answer = answer.map_err(|fault| match fault.sort {
        Sort::NotFound => missing(),
        _ => fault.answer(&field),
    })?;
    let key = answer.key_metadata().ok_or_else(missing)?;
    Ok(judged(key, &field, &arn))
}

/// The ARNs of the keys that pools name by an alias, by the alias's; without those that nobody tells.
pub(super) async fn arns(session: &Session<'_>) -> BTreeMap<String, String> {
    let Asking { config, given, .. } = session.asking;
    let mut found = BTreeMap::new();
    for Setting { value: alias, .. } in distinct(config, given, "rootVolume.kmsKeyARN", key) {
        if !alias.contains(":alias/") {
            continue;
        }
        let Ok(kms) = session.kms().await else {
            break;
        };
        let answer = Box::pin(kms.describe_key().key_id(&alias).send()).await.ok();
        let arn = answer.as_ref().and_then(|answer| answer.key_metadata()?.arn());
        if let Some(arn) = arn {
            found.insert(alias, arn.to_owned());
        }
    }
    found
}

/// The region in the ARN of a key.
fn region_of(arn: &str) -> Option<&str> {
    let mut parts = arn.split(':');
    let service = parts.by_ref().nth(2)?;
    parts.next().filter(|region| service == "kms" && !region.is_empty())
}

/// Whether volumes can be encrypted with a key. What a cloud leaves out stands against nothing.
fn judged(key: &KeyMetadata, field: &str, arn: &str) -> Answer {
    let state = key.key_state().map_or("", KeyState::as_str);
    let usage = key.key_usage().map_or("", KeyUsageType::as_str);
    let spec = key.key_spec().map_or("", KeySpec::as_str);
    let is = |found: &str, wanted: &str| found.is_empty() || found == wanted;
    let enabled = is(state, KeyState::Enabled.as_str());
    let encrypts = is(usage, KeyUsageType::EncryptDecrypt.as_str());
    let answer = if !enabled {
        Answer::found(pages::key_not_enabled(field, arn, state))
    } else if !encrypts || !is(spec, KeySpec::SymmetricDefault.as_str()) {
        Answer::found(pages::key_not_symmetric(field, arn, &format!("{spec} for {usage}")))
    } else {
        Answer::passed("the key is enabled and encrypts symmetrically")
    };
    answer.with("key", arn).with("state", state).with("usage", usage).with("spec", spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;

    #[test]
    fn knows_the_region_of_a_key() {
        assert_eq!(region_of("arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/1"), Some("us-gov-west-1"));
        assert_eq!(region_of("arn:aws:iam::123456789012:role/x"), None);
        assert_eq!(region_of("alias/x"), None);
    }

    fn code(state: KeyState, usage: KeyUsageType, spec: KeySpec) -> Option<&'static str> {
        let key = KeyMetadata::builder().key_id("1").key_state(state).key_usage(usage).key_spec(spec);
        match judged(&key.build().ok()?, "x", "arn").verdict {
            Verdict::Found(finding) => Some(finding.code.as_str()),
            _ => None,
        }
    }

    #[test]
    fn a_key_must_be_enabled_and_symmetric() {
        let encrypt = KeyUsageType::EncryptDecrypt;
        let fine = code(KeyState::Enabled, encrypt.clone(), KeySpec::SymmetricDefault);
        assert_eq!(fine, None);
        let wrong = [
            code(KeyState::PendingDeletion, encrypt.clone(), KeySpec::SymmetricDefault),
            code(KeyState::Enabled, KeyUsageType::SignVerify, KeySpec::Rsa2048),
            code(KeyState::Enabled, encrypt, KeySpec::Rsa4096),
        ];
        assert_eq!(wrong, [Some("LF1032"); 3]);
    }
}
