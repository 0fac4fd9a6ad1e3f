//! Whether the image that the cluster brings along can be read where it is copied from.

use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_net::{Broken, Reply, Sort};
use landfall_platform::cloud::{Answer, Check, check};
use url::Url;

use super::pages::IMAGE_SOURCE;
use crate::cloud::environment;
use crate::cloud::session::Session;
use crate::plan::image_url;

/// Where a Stack Hub's image is named.
const OS_IMAGE: &str = "platform.azure.clusterOSImage";

/// Where the image is read, for people.
struct Source {
    host: String,
    /// Without its query, which can be a signature.
    url: String,
    field: &'static str,
    cloud: String,
}

impl Source {
    fn of(url: &Url, session: &Session<'_>) -> Self {
        let mut plain = url.clone();
        plain.set_query(None);
        Self {
            host: url.host_str().unwrap_or_default().to_owned(),
            url: environment::shown(&plain),
            field: field(session),
            cloud: session.platform.cloud_name.clone(),
        }
    }
}

/// What decides the image: on a Stack Hub the config itself, elsewhere the cloud and the release.
fn field(session: &Session<'_>) -> &'static str {
    if environment::is_hub(session) { OS_IMAGE } else { environment::field(session) }
}

pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    vec![check("azure.image.source", field(session), readable(session))]
}

async fn readable(session: &Session<'_>) -> Result<Answer, Answer> {
    let asking = &session.asking;
    let architecture = asking.config.control_plane.as_ref().map_or("", |pool| pool.architecture.as_str());
    let known = image_url(asking.catalogue, session.platform, asking.release, architecture);
    let Some(url) = known.and_then(|url| Url::parse(url).ok()) else {
        return Ok(Answer::skipped("no image is known: see azure.image"));
    };
    let permit = session.concurrency().take().await;
    let seen = landfall_net::probe(&url, session.trust(), session.proxies(), asking.patience.connect).await;
    drop(permit);
    let unresolved = matches!(&seen.answer, Err(Broken { sort: Sort::NameFailed | Sort::NameUnknown, .. }));
    let mut answer = if unresolved && session.manager().await.is_unresolved() {
        Answer::skipped("its name does not resolve either: see azure.endpoint.resource-manager")
    } else {
        judged(&Source::of(&url, session), seen.answer.as_ref())
    };
    answer.evidence.extend(seen.evidence());
    Ok(answer)
}

/// What an answer says of the image. Azure copies it by itself, so that what this machine cannot reach is no proof.
fn judged(source: &Source, seen: Result<&Reply, &Broken>) -> Answer {
    let Source { host, url, field, cloud } = source;
    let (host, url) = (shortened(host), shortened(url));
    match seen {
        Ok(reply) if (200..300).contains(&reply.status) => {
            Answer::passed(format!("the image of the machines can be read at {host}"))
        }
        // A storage account that knows the name answers so where it is private, or has no such blob.
        Ok(reply) if (400..500).contains(&reply.status) && reply.status != 407 && reply.status != 429 => {
            let message =
                format!("the image of the machines cannot be read at `{url}`: HTTP {}", reply.status);
            Answer::found(Finding::error(&IMAGE_SOURCE, Kind::Invalid, *field, message).help(
                "set the URL of an image that can be read without credentials: in a catalogue overlay below \
                 `images`, on a Stack Hub in `clusterOSImage`",
            ))
        }
        seen => {
            let why = match seen {
                Ok(reply) => format!("HTTP {}", reply.status),
                Err(broken) => broken.why.clone(),
            };
            let message = format!("the image of the machines cannot be reached at `{host}` from here: {why}");
            Answer::found(Finding::warning(&IMAGE_SOURCE, Kind::Invalid, *field, message).help(format!(
                "{cloud} copies it from there itself; if the cloud cannot reach that host either, put the \
                 image into a storage account of the cloud and set its URL in a catalogue overlay below \
                 `images`"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use landfall_net::Step;
    use landfall_platform::cloud::Verdict;

    use super::*;

    fn told(seen: Result<u16, &str>) -> (&'static str, String) {
        let source = Source {
            host: "images.example".to_owned(),
            url: "https://images.example/rhcos.vhd".to_owned(),
            field: OS_IMAGE,
            cloud: "AzureChinaCloud".to_owned(),
        };
        let reply = |status| Reply { status, headers: Vec::new(), body: Vec::new() };
        let broken = |why: &str| Broken {
            step: Step::Connect,
            sort: Sort::Refused,
            why: why.to_owned(),
            help: String::new(),
        };
        let seen = seen.map(reply).map_err(broken);
        match judged(&source, seen.as_ref()).verdict {
            Verdict::Passed(text) => ("passed", text),
            Verdict::Skipped(text) | Verdict::Unanswered(text) => ("skipped", text),
            Verdict::Found(finding) => {
                assert_eq!((finding.code.as_str(), finding.field.as_str()), ("LF1149", OS_IMAGE));
                let text = format!("{} {}", finding.message, finding.help.clone().unwrap_or_default());
                (if finding.is_error() { "error" } else { "warning" }, text)
            }
        }
    }

    #[test]
    fn an_image_is_there_or_not_or_cannot_be_looked_at_from_here() {
        assert_eq!(told(Ok(200)).0, "passed");
        assert_eq!(told(Ok(206)).0, "passed");
        for status in [403, 404, 409] {
            let (verdict, text) = told(Ok(status));
            assert!(verdict == "error" && text.contains(&format!("HTTP {status}")), "{text}");
        }
        for status in [407, 429, 503] {
            assert_eq!(told(Ok(status)).0, "warning");
        }
        let (verdict, text) = told(Err("connection refused"));
        assert!(verdict == "warning" && text.contains("connection refused"), "{text}");
        assert!(text.contains("AzureChinaCloud copies it"), "{text}");
    }
}
