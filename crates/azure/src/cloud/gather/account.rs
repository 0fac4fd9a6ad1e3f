//! Whose subscription it is.

use landfall_platform::cloud::Asked;

use super::Account;
use crate::cloud::session::Session;

/// The ids of the credentials. A person who is logged in, or the identity of a machine, need not be named
/// anywhere: then the token tells the tenant.
pub(super) async fn account(session: &Session<'_>) -> Asked<Account> {
    let subscription = session.subscription().await?;
    let told = session.caller().await.map(|caller| caller.tenant.clone());
    let given = session.given();
    Ok(Account {
        subscription,
        tenant: tenant(&told.unwrap_or_default(), &given.tenant),
        client: given.client.clone(),
    })
}

/// The tenant by its id, which only the token is sure to have: the user may give one of its domains.
fn tenant(told: &str, given: &str) -> String {
    if told.is_empty() { given } else { told }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::tenant;

    #[test]
    fn the_token_knows_the_tenant_best() {
        assert_eq!(tenant("11111111-2222", "example.com"), "11111111-2222");
        assert_eq!(tenant("", "example.com"), "example.com");
    }
}
