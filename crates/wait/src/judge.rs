//! What a cluster's answers mean.

use jiff::{SignedDuration, Timestamp};
use landfall_kube::brief;
use serde::Deserialize;
use serde_json::Value;

use super::Operator;

/// An operator that has changed nothing for so long has come to rest.
const REST: SignedDuration = SignedDuration::from_secs(30);

/// The most of an operator's words that are shown.
const MOST: usize = 240;
/// The most names that are shown on a line of progress.
const NAMES: usize = 4;

/// How it stands with a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// It is reached.
    Reached,
    /// It is not.
    Waiting {
        /// What is missing, in few words that change seldom.
        headline: String,
        /// The same in more detail; empty where there is none.
        detail: String,
    },
}

impl Stand {
    fn waiting(headline: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Waiting { headline: headline.into(), detail: detail.into() }
    }
}

/// What `/version` tells of the API server.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ApiVersion {
    git_version: String,
}

impl ApiVersion {
    /// The version, such as `v1.33.4`; none where something else answered.
    pub(super) fn shown(&self) -> Option<String> {
        Some(brief(&self.git_version, MOST)).filter(|version| !version.is_empty())
    }
}

/// A config map, as far as it is looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ConfigMap {
    data: std::collections::BTreeMap<String, String>,
}

/// How it stands with the bootstrap, of which the config map `bootstrap` in `kube-system` tells; none where
/// there is no such map yet.
pub(super) fn bootstrap(map: Option<&ConfigMap>) -> Stand {
    let status = map.and_then(|map| map.data.get("status"));
    match status.map(String::as_str) {
        Some("complete") => Stand::Reached,
        Some(other) => Stand::waiting(format!("the bootstrap reports: {}", brief(other, MOST)), ""),
        None => Stand::waiting("the API answers, the bootstrap is in progress", ""),
    }
}

/// A condition of a status.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Condition {
    r#type: String,
    status: String,
    reason: String,
    message: String,
    last_transition_time: Option<String>,
}

impl Condition {
    fn is_true(&self) -> bool {
        self.status == "True"
    }

    fn is_false(&self) -> bool {
        self.status == "False"
    }

    /// What it says, or else its reason.
    fn words(&self) -> String {
        brief(if self.message.trim().is_empty() { &self.reason } else { &self.message }, MOST)
    }

    /// Whether it has been so for long enough. A time that cannot be read is long ago.
    fn is_at_rest(&self, now: Timestamp) -> bool {
        let since = self.last_transition_time.as_ref().and_then(|time| time.parse::<Timestamp>().ok());
        since.is_none_or(|since| now.duration_since(since) > REST)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Status {
    conditions: Vec<Condition>,
    history: Vec<Update>,
}

impl Status {
    fn find(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.r#type == kind)
    }

    fn is(&self, kind: &str) -> bool {
        self.find(kind).is_some_and(Condition::is_true)
    }

    fn is_not(&self, kind: &str) -> bool {
        self.find(kind).is_some_and(Condition::is_false)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Update {
    version: String,
}

/// The release that a cluster is to have, and how far it has come.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClusterVersion {
    status: Status,
}

impl ClusterVersion {
    /// The release, such as `4.20.1`.
    pub(super) fn release(&self) -> Option<String> {
        let newest = self.status.history.first()?;
        Some(brief(&newest.version, MOST)).filter(|version| !version.is_empty())
    }

    /// Whether the whole release is there: available, and neither failing nor changing anything.
    fn is_there(&self) -> bool {
        let status = &self.status;
        status.is("Available") && status.is_not("Failing") && status.is_not("Progressing")
    }

    /// What it says is missing.
    pub(super) fn words(&self) -> String {
        let telling = ["Failing", "Progressing"].iter().find(|kind| self.status.is(kind));
        telling.and_then(|kind| self.status.find(kind)).map(Condition::words).unwrap_or_default()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    name: String,
}

/// One cluster operator as the API has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClusterOperator {
    metadata: Metadata,
    status: Status,
}

/// The cluster operators as the API lists them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClusterOperators {
    items: Vec<ClusterOperator>,
}

impl ClusterOperators {
    /// How it stands with each at this moment, by name.
    pub(super) fn stand(&self, now: Timestamp) -> Vec<Operator> {
        let mut operators: Vec<Operator> = self.items.iter().map(|item| operator(item, now)).collect();
        operators.sort();
        operators
    }
}

fn operator(item: &ClusterOperator, now: Timestamp) -> Operator {
    let status = &item.status;
    let (available, degraded) = (status.is("Available"), status.is("Degraded"));
    let changing = status.find("Progressing").filter(|condition| !condition.is_false());
    let at_rest = status.find("Progressing").is_some_and(|c| c.is_false() && c.is_at_rest(now));
    let said = [
        status.find("Available").filter(|_| !available),
        status.find("Degraded").filter(|_| degraded),
        changing,
    ];
    let mut words: Vec<String> = Vec::new();
    for said in said.into_iter().flatten().map(Condition::words) {
        if !said.is_empty() && !words.contains(&said) {
            words.push(said);
        }
    }
    Operator {
        name: brief(&item.metadata.name, MOST),
        ready: available && at_rest,
        available,
        progressing: !status.is_not("Progressing"),
        degraded,
        message: brief(&words.join("; "), MOST),
    }
}

/// How it stands with the whole installation.
pub(super) fn installation(version: Option<&ClusterVersion>, operators: &[Operator]) -> Stand {
    let Some(version) = version else {
        return Stand::waiting("the API answers, but does not report the release yet", "");
    };
    let there = version.is_there();
    let missing: Vec<&str> = operators.iter().filter(|o| !o.ready).map(|o| o.name.as_str()).collect();
    if there && missing.is_empty() {
        return Stand::Reached;
    }
    let ready = operators.len() - missing.len();
    let mut headline = format!("{ready} of {} operators are ready", operators.len());
    if !missing.is_empty() && missing.len() <= NAMES {
        headline = format!("{headline}, not yet {}", missing.join(", "));
    } else if missing.is_empty() {
        headline = format!("{headline}, the release is not");
    }
    Stand::waiting(headline, version.words())
}

/// The console's URL, of which the config map `console-public` in `openshift-config-managed` tells.
pub(super) fn console_of_map(map: &ConfigMap) -> Option<String> {
    web(map.data.get("consoleURL")?)
}

/// The console's URL by its route.
pub(super) fn console_of_route(route: &Value) -> Option<String> {
    let admitted = route["status"]["ingress"][0]["host"].as_str();
    let host = admitted.or_else(|| route["spec"]["host"].as_str())?;
    web(&format!("https://{host}"))
}

/// The URL of a web page, without what nobody should open.
fn web(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok().filter(|url| url.scheme() == "https" && url.has_host())?;
    Some(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests;
