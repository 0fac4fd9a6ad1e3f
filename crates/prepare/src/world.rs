//! The environment of this process, as the platforms look at it.

#![allow(clippy::disallowed_methods, reason = "the environment and the credentials' files are read here")]

use std::path::PathBuf;

use landfall_platform::World;

/// The environment of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment;

impl Environment {
    /// Who runs landfall, as the cluster is told.
    #[must_use]
    pub fn invoker(self) -> String {
        self.variable("OPENSHIFT_INSTALL_INVOKER").unwrap_or_else(|| "user".to_owned())
    }

    /// Today's date in UTC.
    #[must_use]
    pub fn today(self) -> jiff::civil::Date {
        jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }
}

/// The time, as RFC 3339 writes it, to the second.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The environment of this process, with the credentials of one profile.
#[derive(Clone, Debug)]
pub struct Profiled(pub String);

impl World for Profiled {
    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "AWS_PROFILE" => Some(self.0.clone()),
            // They are another account's.
            "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" | "AWS_SESSION_TOKEN" => None,
            name => Environment.variable(name),
        }
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        Environment.file(path)
    }

    fn profile(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

impl World for Environment {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let path = match path.strip_prefix("~/") {
            Some(rest) => std::env::home_dir()?.join(rest),
            None => PathBuf::from(path),
        };
        std::fs::read(path).ok()
    }
}
