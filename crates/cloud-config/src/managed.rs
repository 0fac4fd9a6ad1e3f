//! The map that a cluster manages: the user's, with what the Infrastructure object says put into its text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{CLOUD_CONF, Entries, Fault, Infrastructure, aws, azure};

const AZURE: &str = "Azure";

/// What a platform puts into the user's text; none where the text stays as it is.
type Stitch = fn(&Infrastructure, &[u8]) -> Result<Option<Vec<u8>>, Fault>;

/// The platforms that put something into it. On all others the text is passed on.
static RULES: [(&str, Stitch); 2] = [("AWS", endpoints), (AZURE, azure::stitch)];

/// The entries of the managed map. Without entries, there is no map.
///
/// # Errors
/// The user's text cannot be read, or contradicts the Infrastructure object.
pub fn managed(infrastructure: &Infrastructure, user: &Entries) -> Result<Entries, Fault> {
    let mut entries = Entries { immutable: None, ..user.clone() };
    let given = Text::take(&mut entries, &infrastructure.spec.cloud_config.key);
    let (platform, _) = infrastructure.platform();
    let text = match RULES.iter().find(|(name, _)| *name == platform) {
        Some((_, stitch)) => stitched(infrastructure, *stitch, given)?,
        None => given,
    };
    if let Some(text) = text {
        text.place(&mut entries);
    }
    Ok(entries)
}

/// The user's settings whose value is a word that is a boolean in YAML 1.1, such as `yes`, and a text here.
#[must_use]
pub fn older_booleans(infrastructure: &Infrastructure, user: &Entries) -> Vec<String> {
    if infrastructure.platform().0 != AZURE {
        return Vec::new();
    }
    let given = Text::take(&mut user.clone(), &infrastructure.spec.cloud_config.key);
    let text = given.and_then(|given| String::from_utf8(given.bytes().ok()?).ok());
    text.map(|text| azure::words(&text)).unwrap_or_default()
}

/// The key that is named for the user's text, where their map has other entries and not this one.
#[must_use]
pub fn missing_key<'a>(infrastructure: &'a Infrastructure, user: &Entries) -> Option<&'a str> {
    lacking_key(infrastructure, user).filter(|_| !user.is_empty())
}

/// The key that is named for the user's text, where their map does not have it.
pub(super) fn lacking_key<'a>(infrastructure: &'a Infrastructure, user: &Entries) -> Option<&'a str> {
    let key = infrastructure.spec.cloud_config.key.as_str();
    let found = user.data.contains_key(key) || user.binary_data.contains_key(key);
    (!key.is_empty() && !found).then_some(key)
}

/// The text of one entry, on its side of the map.
enum Text {
    Plain(String),
    Base64(String),
}

impl Text {
    /// Takes the named entry out of both sides; what is text wins.
    fn take(entries: &mut Entries, key: &str) -> Option<Self> {
        if key.is_empty() {
            return None;
        }
        let (plain, binary) = (entries.data.remove(key), entries.binary_data.remove(key));
        plain.map(Self::Plain).or_else(|| binary.map(Self::Base64))
    }

    /// Puts it where clusters look for it, and there alone.
    fn place(self, entries: &mut Entries) {
        entries.data.remove(CLOUD_CONF);
        entries.binary_data.remove(CLOUD_CONF);
        match self {
            Self::Plain(text) => entries.data.insert(CLOUD_CONF.to_owned(), text),
            Self::Base64(text) => entries.binary_data.insert(CLOUD_CONF.to_owned(), text),
        };
    }

    fn bytes(&self) -> Result<Vec<u8>, Fault> {
        match self {
            Self::Plain(text) => Ok(text.as_bytes().to_vec()),
            Self::Base64(text) => STANDARD.decode(text).map_err(|_| unreadable("it is not base64")),
        }
    }
}

/// The result of the rule for the text, on the side where the user has it.
fn stitched(
    infrastructure: &Infrastructure,
    stitch: Stitch,
    given: Option<Text>,
) -> Result<Option<Text>, Fault> {
    let bytes = given.as_ref().map_or(Ok(Vec::new()), Text::bytes)?;
    let Some(bytes) = stitch(infrastructure, &bytes)? else {
        return Ok(given);
    };
    Ok(Some(match given {
        Some(Text::Base64(_)) => Text::Base64(STANDARD.encode(bytes)),
        _ => Text::Plain(String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8"))?),
    }))
}

fn endpoints(infrastructure: &Infrastructure, text: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
    match infrastructure.status.platform_status.as_ref().and_then(|status| status.aws.as_ref()) {
        Some(status) if !status.service_endpoints.is_empty() => {
            aws::stitch(text, &status.region, &status.service_endpoints).map(Some)
        }
        _ => Ok(None),
    }
}

fn unreadable(why: &str) -> Fault {
    Fault::ConfigUnreadable(why.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn made(infrastructure: Value, user: Value) -> Result<Value, String> {
        let read = |fault: serde_json::Error| fault.to_string();
        let infrastructure = serde_json::from_value(infrastructure).map_err(read)?;
        let user = serde_json::from_value(user).map_err(read)?;
        let entries = managed(&infrastructure, &user).map_err(|fault| fault.name().to_owned())?;
        serde_json::to_value(entries).map_err(read)
    }

    fn cluster(key: &str, status: &Value) -> Value {
        json!({ "spec": { "cloudConfig": { "name": "m", "key": key } }, "status": status })
    }

    #[test]
    fn an_entry_is_on_one_side() {
        let none = cluster("config", &json!({ "platformStatus": { "type": "None" } }));
        let binary_twin = json!({ "data": { "config": "new" }, "binaryData": { "cloud.conf": "b2xk" } });
        assert_eq!(made(none.clone(), binary_twin), Ok(json!({ "data": { "cloud.conf": "new" } })));
        let plain_twin = json!({ "data": { "cloud.conf": "old" }, "binaryData": { "config": "bmV3" } });
        assert_eq!(made(none.clone(), plain_twin), Ok(json!({ "binaryData": { "cloud.conf": "bmV3" } })));
        let other = json!({ "data": { "cloud.conf": "old", "ca": "pem" } });
        assert_eq!(made(none, other.clone()), Ok(other));
    }

    #[test]
    fn a_key_is_missed_only_in_a_map_that_has_others() {
        let missing = |key: &str, user: Value| {
            let infrastructure: Infrastructure =
                serde_json::from_value(cluster(key, &json!({}))).unwrap_or_default();
            let user: Entries = serde_json::from_value(user).unwrap_or_default();
            missing_key(&infrastructure, &user).map(str::to_owned)
        };
        assert_eq!(missing("config", json!({ "data": { "Config": "" } })), Some("config".to_owned()));
        assert_eq!(missing("config", json!({ "data": { "config": "" } })), None);
        assert_eq!(missing("config", json!({ "binaryData": { "config": "" } })), None);
        assert_eq!(missing("", json!({ "data": { "config": "" } })), None);
        assert_eq!(missing("config", json!({})), None);
    }

    #[test]
    fn the_old_name_of_a_platform_is_as_good() {
        let user = json!({ "data": { "config": "[Global]" } });
        let aws = made(cluster("config", &json!({ "platform": "AWS" })), user);
        assert_eq!(aws, Ok(json!({ "data": { "cloud.conf": "[Global]" } })));
        let azure = made(cluster("config", &json!({ "platform": "Azure" })), json!({}));
        let text = "{\n\t\"cloud\": \"AzurePublicCloud\"\n}\n";
        assert_eq!(azure, Ok(json!({ "data": { "cloud.conf": text } })));
    }

    #[test]
    fn what_is_no_base64_is_refused_where_it_is_read() {
        let azure = cluster("config", &json!({ "platformStatus": { "type": "Azure" } }));
        let made = made(azure, json!({ "binaryData": { "config": "?" } }));
        assert_eq!(made, Err("config-unreadable".to_owned()));
    }
}
