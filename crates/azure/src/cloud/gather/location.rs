//! The location: whether the subscription has it, and its name for people.

use futures::join;
use landfall_model::azure::facts::Location;
use landfall_platform::cloud::Asked;
use serde::Deserialize;

use super::{REGION, plain, refused, resource};
use crate::cloud::api_versions::Api;
use crate::cloud::described::Provider;
use crate::cloud::fault::Sort;
use crate::cloud::session::Session;

/// The type of resources without which nothing can be made in a location.
const GROUPS: &str = "resourceGroups";

/// A location as the subscription lists it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Listed {
    name: String,
    display_name: String,
}

/// The location that the config names, if the subscription has it and resource groups can be there. One
/// that is named as people do is found under its own name, so that planning can propose it.
pub(super) async fn location(session: &Session<'_>) -> Asked<Option<Location>> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let locations = format!("{}/locations", resource::subscription(&subscription));
    let provider = resource::provided(&subscription, "Microsoft.Resources");
    let (listed, provider) = join!(
        Box::pin(arm.list::<Listed>(Api::LOCATIONS, &locations, &[])),
        Box::pin(arm.find::<Provider>(Api::PROVIDERS, &provider, &[])),
    );
    let listed = listed.map_err(|fault| refused(&fault, REGION))?;
    let provider = match provider {
        Err(fault) if matches!(fault.sort, Sort::Denied) => None,
        answer => answer.map_err(|fault| refused(&fault, REGION))?,
    };
    let found = find(&listed, &session.platform.region);
    Ok(found.filter(|location| provider.is_none_or(|provider| holds_groups(&provider, location))))
}

fn find(listed: &[Listed], wanted: &str) -> Option<Location> {
    let exact = listed.iter().find(|listed| listed.name == wanted);
    let meant = || {
        let wanted = plain(wanted);
        listed.iter().find(|listed| plain(&listed.name) == wanted || plain(&listed.display_name) == wanted)
    };
    let found = exact.or_else(meant).filter(|found| !found.name.is_empty())?;
    Some(Location { name: found.name.clone(), display_name: found.display_name.clone() })
}

/// Whether resource groups can be in a location. A provider that does not say where stands against nothing.
fn holds_groups(provider: &Provider, location: &Location) -> bool {
    let known = provider.resource_types.iter().find(|known| known.name.eq_ignore_ascii_case(GROUPS));
    let own = [plain(&location.name), plain(&location.display_name)];
    known.is_none_or(|known| {
        known.locations.is_empty() || known.locations.iter().any(|name| own.contains(&plain(name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;

    const LOCATIONS: &str = r#"[
        {"id": "/subscriptions/s/locations/eastus", "name": "eastus", "displayName": "East US",
         "regionalDisplayName": "(US) East US", "metadata": {"regionType": "Physical"}},
        {"name": "usgovvirginia", "displayName": "USGov Virginia", "metadata": null},
        {"name": null}
    ]"#;

    fn found(wanted: &str) -> Option<String> {
        let listed: Vec<Listed> = of_text(LOCATIONS).unwrap_or_default();
        find(&listed, wanted).map(|location| location.name)
    }

    #[test]
    fn a_location_is_found_by_either_name() {
        for wanted in ["eastus", "East US", "EastUS"] {
            assert_eq!(found(wanted), Some("eastus".to_owned()), "{wanted}");
        }
        assert_eq!(found("usgov virginia"), Some("usgovvirginia".to_owned()));
        assert_eq!(found("mooneast"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn resource_groups_must_be_possible_there() {
        let text = r#"{"namespace": "Microsoft.Resources", "resourceTypes": [
            {"resourceType": "deployments", "locations": []},
            {"resourceType": "resourceGroups", "locations": ["East US", "West US"]}
        ]}"#;
        let provider: Provider = of_text(text).unwrap_or_default();
        let location =
            |name: &str, display: &str| Location { name: name.to_owned(), display_name: display.to_owned() };
        assert!(holds_groups(&provider, &location("eastus", "East US")));
        assert!(!holds_groups(&provider, &location("europe", "Europe")));
        assert!(holds_groups(&Provider::default(), &location("local", "local")));
    }
}
