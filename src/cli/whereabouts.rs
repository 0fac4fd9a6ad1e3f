//! Where a cluster is and what creates it, for questions to the user.

use std::fmt;

use crate::ui::printable;

/// The account, region, release and engine of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// What the platform calls an account, such as `subscription`.
    pub noun: &'static str,
    /// Id of the account or subscription; none where it is not known.
    pub account: Option<String>,
    /// Region; empty where it is not known.
    pub region: String,
    /// OpenShift release; empty where it is not known.
    pub release: String,
    /// Name of the engine; empty where it is not known.
    pub engine: String,
}

impl fmt::Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.account {
            Some(account) => write!(f, "{} {}", self.noun, printable(account))?,
            None => write!(f, "an unknown {}", self.noun)?,
        }
        if !self.region.is_empty() {
            write!(f, ", {}", printable(&self.region))?;
        }
        let release = (!self.release.is_empty()).then(|| format!("release {}", printable(&self.release)));
        let engine = (!self.engine.is_empty()).then(|| format!("engine {}", printable(&self.engine)));
        let known: Vec<String> = release.into_iter().chain(engine).collect();
        if known.is_empty() { Ok(()) } else { write!(f, " ({})", known.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_as_far_as_it_is_known() {
        let aws = Whereabouts {
            noun: "account",
            account: Some("123456789012".to_owned()),
            region: "us-east-1".to_owned(),
            release: "4.19".to_owned(),
            engine: "terraform".to_owned(),
        };
        assert_eq!(aws.to_string(), "account 123456789012, us-east-1 (release 4.19, engine terraform)");
        let azure = Whereabouts { noun: "subscription", release: String::new(), ..aws.clone() };
        assert_eq!(azure.to_string(), "subscription 123456789012, us-east-1 (engine terraform)");
        let unknown = Whereabouts { account: None, engine: String::new(), release: String::new(), ..aws };
        assert_eq!(unknown.to_string(), "an unknown account, us-east-1");
    }
}
