//! Errors of calls to a Kubernetes API, without anything that may be secret.

use std::time::Duration;

use ::kube::core::Status;
use landfall_net::Sort;

/// The most of a server's words that are shown.
const MOST: usize = 240;

/// Why a call did not bring what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The way to the server is not open.
    Way {
        /// What sort of fault it is.
        sort: Sort,
        /// What happened, as a part of a sentence.
        why: String,
    },
    /// The server does not know who asks.
    Unauthorized,
    /// The server knows who asks and does not permit it; its own words.
    Forbidden(String),
    /// The server does not have this object, or this kind of object.
    NotFound,
    /// Another answer than the one that was asked for.
    Answer {
        /// HTTP status.
        status: u16,
        /// What was said, as a part of a sentence.
        why: String,
    },
    /// The call cannot be sent with the kubeconfig or the environment.
    Setup(String),
}

impl Fault {
    /// What a client's error means.
    #[must_use]
    pub fn of(error: &::kube::Error) -> Self {
        use ::kube::Error;
        // Many of these errors cite what they were given, programs' output and proxies' passwords too.
        match error {
            Error::Api(status) => answered(status),
            Error::ProxyProtocolUnsupported { .. } | Error::ProxyProtocolDisabled { .. } => {
                Self::Setup("the type of the proxy is not supported".to_owned())
            }
            Error::Auth(_) => Self::Setup("the user's credentials cannot be loaded".to_owned()),
            Error::RustlsTls(_) | Error::InferKubeconfig(_) => {
                Self::Setup("a certificate or key in the kubeconfig cannot be used".to_owned())
            }
            Error::SerdeError(_) | Error::FromUtf8(_) => {
                Self::Answer { status: 200, why: "the response is not from a Kubernetes API".to_owned() }
            }
            other => match landfall_net::fault(other) {
                Some((sort, why)) => Self::Way { sort, why },
                None => Self::Way { sort: Sort::Closed, why: "the call failed in transit".to_owned() },
            },
        }
    }

    /// Nothing came in time.
    #[must_use]
    pub fn late() -> Self {
        Self::Way { sort: Sort::TimedOut, why: "no response in time".to_owned() }
    }

    /// What happened, as a part of a sentence.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            Self::Way { why, .. } | Self::Setup(why) | Self::Answer { status: 200, why } => why.clone(),
            Self::Unauthorized => "the server does not know the user of the kubeconfig (401)".to_owned(),
            // The server names the user, who may be a pod's.
            Self::Forbidden(why) => format!("the server denies access (403): {why}"),
            Self::NotFound => "not found (404)".to_owned(),
            Self::Answer { status, why } if why.is_empty() => format!("the server returns {status}"),
            Self::Answer { status, why } => format!("the server returns {status}: {why}"),
        }
    }
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub fault: Fault,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self { fault, retry_after: None }
    }
}

impl Failure {
    /// The HTTP status, if there was an answer.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        match &self.fault {
            Fault::Unauthorized => Some(401),
            Fault::Forbidden(_) => Some(403),
            Fault::NotFound => Some(404),
            Fault::Answer { status, .. } => Some(*status),
            Fault::Way { .. } | Fault::Setup(_) => None,
        }
    }
}

fn answered(status: &Status) -> Fault {
    // A page of a proxy or load balancer is not a status; its content is not trusted.
    let why = match status.reason.as_str() {
        "Failed to parse error data" => String::new(),
        _ => brief(&status.message, MOST),
    };
    match status.code {
        401 => Fault::Unauthorized,
        403 => Fault::Forbidden(if why.is_empty() { "no reason given".to_owned() } else { why }),
        404 => Fault::NotFound,
        status => Fault::Answer { status, why },
    }
}

/// A text from outside on one line, cut where it is long.
#[must_use]
pub fn brief(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let shown: String = line.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().nth(most).is_some() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: u16, reason: &str, message: &str) -> Fault {
        let status = Status::failure(message, reason).with_code(code);
        Fault::of(&::kube::Error::Api(status.boxed()))
    }

    #[test]
    fn answers_are_sorted() {
        assert_eq!(of(401, "Unauthorized", "Unauthorized"), Fault::Unauthorized);
        let why = "nodes is forbidden".to_owned();
        assert_eq!(of(403, "Forbidden", "nodes is\nforbidden"), Fault::Forbidden(why));
        assert_eq!(of(404, "NotFound", "no"), Fault::NotFound);
        let starting = Fault::Answer { status: 503, why: "starting".to_owned() };
        assert_eq!(of(503, "", "starting"), starting);
        assert!(starting.why().ends_with(" 503: starting"), "{}", starting.why());
    }

    #[test]
    fn a_page_of_something_on_the_way_is_not_shown() {
        let fault = of(502, "Failed to parse error data", "<html>canary</html>");
        assert_eq!(fault, Fault::Answer { status: 502, why: String::new() });
        assert!(fault.why().ends_with(" 502"), "{}", fault.why());
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(brief("a  b\n\tc", 80), "a b c");
        assert_eq!(brief("abcdef", 3), "abc…");
    }
}
