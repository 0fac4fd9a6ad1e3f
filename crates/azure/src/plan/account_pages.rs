//! The findings of planning on Azure about whose subscription it is, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, shortened};

const PLATFORM: &str = "platform.azure";

pub(super) const ACCOUNT: Code = Code::new("LF0750");
pub(super) const APPLICATION: Code = Code::new("LF0781");

pub(super) fn account_not_known(missing: &[&str]) -> Finding {
    let message = format!("the {} of the credentials must be known", missing.join(" and the "));
    Finding::error(&ACCOUNT, Kind::Required, PLATFORM, message).help(
        "set AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, write \
         ~/.azure/osServicePrincipal.json, pass a facts file with --facts, or remove --offline; `landfall \
         aso render` also accepts --subscription-id and --tenant-id",
    )
}

/// That facts of the cloud lack the ids of the credentials; each is given by its name and its key.
pub(super) fn account_not_in_facts(missing: &[(&str, &str)]) -> Finding {
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    let keys: Vec<String> = missing.iter().map(|(_, key)| format!("azure.{key}")).collect();
    let message = format!("the facts lack the {} of the credentials", names.join(" and the "));
    Finding::error(&ACCOUNT, Kind::Required, PLATFORM, message).help(format!(
        "add {} to the facts file, or gather facts again with the variables that begin with AZURE_ set",
        keys.join(" and ")
    ))
}

/// That the facts are those of another application than the one whose secret there is.
pub(in super::super) fn other_application(facts: &str, own: &str) -> Finding {
    let message = format!(
        "the facts are for the application `{}`, and the secret that the cluster gets belongs to `{}`",
        shortened(facts),
        shortened(own)
    );
    Finding::warning(&APPLICATION, Kind::Invalid, PLATFORM, message).help(
        "gather facts again with these credentials, or use the credentials of the application in the \
            facts",
    )
}
