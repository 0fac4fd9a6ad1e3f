//! The secrets that credentials may be made of, known before any source of credentials is asked: what a
//! source or STS says of a failure may repeat them.

use landfall_diagnostics::secret::Secret;
use landfall_platform::World;

/// Variables that hold secrets.
const VARIABLES: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
];

/// Variables that name files with a secret in them.
const TOKEN_FILES: &[&str] = &["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];

/// The files of the profiles: a variable, and where they are without it.
const PROFILES: &[(&str, &str)] =
    &[("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"), ("AWS_CONFIG_FILE", "~/.aws/config")];

/// Settings of a profile that are secrets.
const SETTINGS: &[&str] =
    &["aws_access_key_id", "aws_secret_access_key", "aws_session_token", "aws_security_token"];

/// The setting of a profile that names a file with a secret in it.
const TOKEN_FILE: &str = "web_identity_token_file";

/// Every secret of the environment, of all profiles, and of the files that either names.
pub(super) fn known(world: &dyn World) -> Vec<Secret<String>> {
    let mut found: Vec<String> = VARIABLES.iter().filter_map(|name| world.variable(name)).collect();
    let mut files: Vec<String> = TOKEN_FILES.iter().filter_map(|name| world.variable(name)).collect();
    for (variable, usual) in PROFILES {
        let path = world.variable(variable).unwrap_or_else(|| (*usual).to_owned());
        let text = text(world, &path).unwrap_or_default();
        // A file that the SDK cannot read holds secrets as well, so each line is looked at by itself.
        for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            if SETTINGS.contains(&name.as_str()) {
                found.push(value.to_owned());
                let bare = value.split([' ', '\t']).next().unwrap_or_default();
                found.push(bare.to_owned());
            } else if name == TOKEN_FILE {
                files.push(value.to_owned());
            }
        }
    }
    found.extend(files.iter().filter_map(|path| text(world, path)));
    found.into_iter().map(|secret| Secret::new(secret.trim().to_owned())).collect()
}

fn text(world: &dyn World, path: &str) -> Option<String> {
    Some(String::from_utf8_lossy(&world.file(path)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given;

    impl World for Given {
        fn variable(&self, name: &str) -> Option<String> {
            let value = match name {
                "AWS_SESSION_TOKEN" => "canary-of-the-environment",
                "AWS_CONFIG_FILE" => "/config",
                "AWS_WEB_IDENTITY_TOKEN_FILE" => "/token",
                _ => return None,
            };
            Some(value.to_owned())
        }

        fn file(&self, path: &str) -> Option<Vec<u8>> {
            let text = match path {
                "~/.aws/credentials" => {
                    "[one]\naws_secret_access_key = canary-of-one\n[torn\nAWS_SESSION_TOKEN=c-of-two # x"
                }
                "/config" => "[profile three]\nregion = us-east-1\nweb_identity_token_file = /other\n",
                "/token" => "canary-of-the-web\n",
                "/other" => "canary-of-the-profile",
                _ => return None,
            };
            Some(text.as_bytes().to_vec())
        }
    }

    #[test]
    fn finds_the_secrets_of_all_profiles_and_files() {
        let found: Vec<String> = known(&Given).into_iter().map(|secret| secret.expose().clone()).collect();
        let expected = [
            "canary-of-the-environment",
            "canary-of-one",
            "c-of-two",
            "canary-of-the-web",
            "canary-of-the-profile",
        ];
        for secret in expected {
            assert!(found.iter().any(|known| known == secret), "{secret}");
        }
        assert!(!found.iter().any(|known| known == "us-east-1"));
    }
}
