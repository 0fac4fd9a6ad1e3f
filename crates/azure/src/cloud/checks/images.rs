//! Whether the marketplace images that machines start from are there, fit, and may be used.

use std::collections::BTreeMap;

use landfall_diagnostics::Finding;
use landfall_model::azure::config::OsImage;
use landfall_model::azure::facts::Size;
use landfall_model::catalogue::Role;
use landfall_model::plan::{Since, is_from};
use landfall_platform::cloud::{Answer, Asking, Check, Verdict, check};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::findings;
use super::settings::field;
use crate::cloud::api_versions::Api;
use crate::cloud::arm::Arm;
use crate::cloud::described::Described;
use crate::cloud::fault::{Fault, Sort};
use crate::cloud::gather::resource::{provided, segment};
use crate::cloud::gather::{is_hub, plain};
use crate::cloud::session::Session;

/// How the config says that an image comes without a purchase plan.
const NO_PLAN: &str = "NoPurchasePlan";

/// The version that stands for the newest one.
const LATEST: &str = "latest";

/// Capability of a size: generations of virtual machines, joined by commas.
const GENERATIONS: &str = "HyperVGenerations";

/// What a pool wants of its image.
pub(super) struct Wish {
    /// The image.
    pub(super) image: OsImage,
    /// Where the config says it.
    pub(super) field: String,
    /// Processor architecture of the machines.
    pub(super) architecture: String,
    /// Size of the machines; empty where there is no usual one.
    pub(super) size: String,
    /// Whether the machines are protected from their host, which takes the second generation.
    pub(super) protected: bool,
    /// Location that is to have the image.
    pub(super) region: String,
    /// Whether openshift-install refuses an image whose plan is not the config's, as from 4.19 on.
    pub(super) strict: bool,
}

impl Wish {
    /// The image in one word.
    pub(super) fn urn(&self) -> String {
        let OsImage { publisher, offer, sku, version, .. } = &self.image;
        format!("{publisher}:{offer}:{sku}:{version}")
    }

    fn with_plan(&self) -> bool {
        self.image.plan != NO_PLAN
    }
}

/// What the resource manager says of a version of an image.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    #[serde(rename = "hyperVGeneration")]
    generation: String,
    architecture: String,
    plan: Option<IgnoredAny>,
}

/// Whether somebody has agreed to the terms of an image for the subscription.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Agreement {
    accepted: bool,
}

/// What is known of the terms.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Terms {
    /// There are none to agree to.
    None,
    Accepted,
    Open,
    /// Nobody may see; the sentence says why.
    Unseen(String),
}

/// One check for each pool that names an image.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, given, catalogue, release, .. } = session.asking;
    let platform = session.platform;
    let mut all = Vec::new();
    for (path, pool) in config.pools() {
        let Some(settings) = pool.platform.azure.as_ref().filter(|own| !own.os_image.publisher.is_empty())
        else {
            continue;
        };
        let role = if path == "controlPlane" { Role::ControlPlane } else { Role::Compute };
        let usual = || catalogue.azure.default_size(&platform.cloud_name, &pool.architecture, role);
        let named = Some(settings.vm_size.as_str()).filter(|name| !name.is_empty());
        let wish = Wish {
            image: settings.os_image.clone(),
            field: field(given, &path, "osImage", |own| own.os_image == settings.os_image),
            architecture: pool.architecture.clone(),
            size: named.or_else(usual).unwrap_or_default().to_owned(),
            protected: settings.settings.as_ref().is_some_and(|own| !own.security_type.is_empty()),
            region: plain(&platform.region),
            strict: is_from(release, Since::Today),
        };
        let id = format!("azure.marketplace-image.{}", pool.name);
        all.push(check(id, wish.field.clone(), usable(session, wish)));
    }
    all
}

async fn usable(session: &Session<'_>, wish: Wish) -> Result<Answer, Answer> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let found = version(arm, &subscription, &wish).await.map_err(|fault| fault.answer(&wish.field))?;
    let Some(found) = found else {
        return Err(Answer::found(findings::image_missing(&wish)).with("image", wish.urn()));
    };
    let sizes = session.sizes().await.as_ref().ok();
    let generations = sizes.and_then(|sizes| generations(sizes, &wish.size));
    if let Some(finding) = unfit(&found.properties, &wish, generations.unwrap_or_default()) {
        return Err(seen(Answer::found(finding), &found.properties, &wish));
    }
    let asked = wish.with_plan() && found.properties.plan.is_some() && !is_hub(session);
    let terms = if asked { terms(arm, &subscription, &wish).await? } else { Terms::None };
    let answer = judged(&found.properties, &terms, &wish);
    let answer = if generations.is_some() { answer } else { unproven(answer, &wish) };
    Ok(seen(answer, &found.properties, &wish))
}

/// The generations that a size supports, as the location says it; none where the size is not known. Sizes are compared
/// without regard to case.
fn generations<'s>(sizes: &'s BTreeMap<String, Size>, name: &str) -> Option<&'s str> {
    let (_, size) = sizes.iter().find(|(own, _)| own.eq_ignore_ascii_case(name))?;
    Some(size.capabilities.get(GENERATIONS).map_or("", String::as_str))
}

/// A version of an image in the location; none where there is no such image.
async fn version(arm: &Arm, subscription: &str, wish: &Wish) -> Result<Option<Described<Properties>>, Fault> {
    let OsImage { publisher, offer, sku, version, .. } = &wish.image;
    let place = format!("Microsoft.Compute/locations/{}/publishers", segment(&wish.region));
    let image = format!("{}/artifacttypes/vmimage/offers/{}", segment(publisher), segment(offer));
    let versions = provided(subscription, &format!("{place}/{image}/skus/{}/versions", segment(sku)));
    let newest = if version.eq_ignore_ascii_case(LATEST) {
        let query = [("$top", "1"), ("$orderby", "name desc")];
        let listed = arm.find::<Vec<Described<IgnoredAny>>>(Api::IMAGES, &versions, &query).await?;
        let Some(newest) = listed.into_iter().flatten().next() else {
            return Ok(None);
        };
        newest.name
    } else {
        version.clone()
    };
    let path = format!("{versions}/{}", segment(&newest));
    arm.find(Api::IMAGES, &path, &[]).await
}

/// What the subscription has agreed to.
async fn terms(arm: &Arm, subscription: &str, wish: &Wish) -> Result<Terms, Answer> {
    let OsImage { publisher, offer, sku, .. } = &wish.image;
    let plan = format!("{}/offers/{}/plans/{}", segment(publisher), segment(offer), segment(sku));
    let kind = "Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers";
    let path = provided(subscription, &format!("{kind}/{plan}/agreements/current"));
    match arm.find::<Described<Agreement>>(Api::AGREEMENTS, &path, &[]).await {
        Ok(Some(agreement)) if agreement.properties.accepted => Ok(Terms::Accepted),
        Ok(_) => Ok(Terms::Open),
        Err(fault) if matches!(fault.sort, Sort::Denied | Sort::Service) => {
            Ok(Terms::Unseen(fault.sentence()))
        }
        Err(fault) => Err(fault.answer(&wish.field)),
    }
}

/// Why machines of the pool do not start from the image. What a cloud leaves out stands against nothing.
fn unfit(found: &Properties, wish: &Wish, generations: &str) -> Option<Finding> {
    let architecture = if wish.architecture == "arm64" { "Arm64" } else { "x64" };
    let is = |own: &str, wanted: &str| own.is_empty() || own.eq_ignore_ascii_case(wanted);
    if !is(&found.architecture, architecture) {
        return Some(findings::image_of_another(wish, &found.architecture));
    }
    let mut possible = generations.split(',').map(str::trim).filter(|name| !name.is_empty());
    let possible = generations.is_empty() || possible.any(|own| is(&found.generation, own));
    if !possible {
        return Some(findings::image_generation(wish, &found.generation, generations));
    }
    let first = found.generation.eq_ignore_ascii_case("V1");
    (wish.protected && first).then(|| findings::image_not_protected(wish))
}

/// What is to be said of an image that fits.
fn judged(found: &Properties, terms: &Terms, wish: &Wish) -> Answer {
    let there = format!("{} exists and fits", wish.urn());
    let planned = found.plan.is_some();
    if planned != wish.with_plan() {
        return Answer::found(findings::image_plan(wish, planned));
    }
    match terms {
        Terms::None => Answer::passed(there),
        Terms::Accepted => Answer::passed(format!("{there}, and its terms are accepted")),
        Terms::Open => Answer::found(findings::image_terms(wish)),
        Terms::Unseen(why) => {
            Answer::skipped(format!("{there}; not proven that its terms are accepted: {why}"))
        }
    }
}

/// The answer where the size is not known: an image that exists may still be of a generation that the size lacks.
fn unproven(answer: Answer, wish: &Wish) -> Answer {
    match answer.verdict {
        Verdict::Passed(_) if wish.size.is_empty() => {
            Answer::skipped(format!("{} exists, and the size of the machines is unknown", wish.urn()))
        }
        Verdict::Passed(_) => Answer::skipped(format!(
            "{} exists, and the generations that the size {} supports are unknown",
            wish.urn(),
            wish.size
        )),
        _ => answer,
    }
}

/// Adds what was seen.
fn seen(answer: Answer, found: &Properties, wish: &Wish) -> Answer {
    let answer = answer.with("image", wish.urn()).with("plan", found.plan.is_some());
    answer.with("generation", found.generation.as_str()).with("architecture", found.architecture.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;
    use landfall_diagnostics::Severity;
    use landfall_testing::assert_names;

    const VERSION: &str = r#"{"location": "eastus", "name": "413.92.2023101700", "properties": {
        "hyperVGeneration": "V2", "architecture": "x64", "osDiskImage": {"operatingSystem": "Linux"},
        "plan": {"publisher": "redhat", "name": "rh-ocp-worker", "product": "rh-ocp-worker"}}}"#;

    fn wish(plan: &str, architecture: &str) -> Wish {
        let text = |text: &str| text.to_owned();
        Wish {
            image: OsImage {
                plan: text(plan),
                publisher: text("redhat"),
                offer: text("rh-ocp-worker"),
                sku: text("rh-ocp-worker"),
                version: text("413.92.2023101700"),
            },
            field: text("x"),
            architecture: text(architecture),
            size: text("Standard_D4s_v3"),
            protected: true,
            region: text("eastus"),
            strict: false,
        }
    }

    fn properties(text: &str) -> Properties {
        of_text::<Described<Properties>>(text).unwrap_or_default().properties
    }

    fn code(answer: Answer) -> &'static str {
        match answer.verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            _ => "",
        }
    }

    #[test]
    fn an_image_must_be_there() {
        let wish = wish("", "amd64");
        let finding = findings::image_missing(&wish);
        assert_eq!(finding.code.as_str(), "LF1134");
        assert!(finding.message.contains("redhat:rh-ocp-worker:rh-ocp-worker:413.92.2023101700"));
    }

    #[test]
    fn an_image_must_fit_the_size_and_the_architecture() {
        let unfit = |architecture: &str, generations: &str| {
            unfit(&properties(VERSION), &wish("", architecture), generations).map(|found| found.code.as_str())
        };
        assert_eq!(unfit("amd64", "V1,V2"), None);
        assert_eq!(unfit("amd64", ""), None);
        assert_eq!(unfit("amd64", "V1"), Some("LF1135"));
        assert_eq!(unfit("arm64", "V2"), Some("LF1135"));
    }

    #[test]
    fn the_generations_are_those_of_the_size_in_any_capitals() {
        let capabilities = [(GENERATIONS.to_owned(), "V1".to_owned())].into();
        let size = Size { capabilities, ..Size::default() };
        let sizes = BTreeMap::from([("Standard_D4s_v3".to_owned(), size)]);
        assert_eq!(generations(&sizes, "standard_d4S_V3"), Some("V1"));
        assert_eq!(generations(&sizes, "Standard_D8s_v3"), None);
        let silent = BTreeMap::from([("Standard_D4s_v3".to_owned(), Size::default())]);
        assert_eq!(generations(&silent, "Standard_D4s_v3"), Some(""));
    }

    #[test]
    fn an_image_is_not_proven_to_fit_an_unknown_size() {
        let told = |size: &str| {
            let wish = Wish { size: size.to_owned(), ..wish("", "amd64") };
            match unproven(judged(&properties(VERSION), &Terms::Accepted, &wish), &wish).verdict {
                Verdict::Skipped(why) => why,
                _ => String::new(),
            }
        };
        assert_names(&told("Standard_D4s_v3"), &["rh-ocp-worker", "Standard_D4s_v3", "generations"]);
        assert_names(&told(""), &["rh-ocp-worker", "size", "unknown"]);
        let wish = wish("", "amd64");
        let open = judged(&properties(VERSION), &Terms::Open, &wish);
        assert_eq!(code(unproven(open, &wish)), "LF1136");
    }

    #[test]
    fn protected_machines_start_from_the_second_generation() {
        let first = properties(&VERSION.replace("V2", "V1"));
        let found = unfit(&first, &wish("", "amd64"), "V1,V2").map(|found| found.code.as_str());
        assert_eq!(found, Some("LF1135"));
        let unknown = properties(r#"{"properties": {"plan": null}}"#);
        assert!(unfit(&unknown, &wish("", "arm64"), "V1").is_none());
    }

    #[test]
    fn terms_must_be_accepted() {
        let judged = |terms: &Terms| code(judged(&properties(VERSION), terms, &wish("", "amd64")));
        assert_eq!(judged(&Terms::Open), "LF1136");
        assert_eq!(judged(&Terms::Accepted), "");
        let unseen = Terms::Unseen("denied".to_owned());
        let answer = super::judged(&properties(VERSION), &unseen, &wish("", "amd64"));
        assert!(matches!(answer.verdict, Verdict::Skipped(_)));
    }

    #[test]
    fn the_config_must_know_whether_there_is_a_plan() {
        let bare = properties(r#"{"properties": {}}"#);
        assert_eq!(code(judged(&bare, &Terms::None, &wish("WithPurchasePlan", "amd64"))), "LF1137");
        assert_eq!(code(judged(&properties(VERSION), &Terms::None, &wish(NO_PLAN, "amd64"))), "LF1137");
        assert_eq!(code(judged(&bare, &Terms::None, &wish(NO_PLAN, "amd64"))), "");
        for (strict, severity) in [(false, Severity::Warning), (true, Severity::Error)] {
            assert_eq!(findings::image_plan(&Wish { strict, ..wish("", "amd64") }, true).severity, severity);
        }
    }

    #[test]
    fn an_agreement_says_whether_it_is_accepted() {
        let accepted =
            |text: &str| of_text::<Described<Agreement>>(text).map(|found| found.properties.accepted);
        assert_eq!(accepted(r#"{"properties": {"publisher": "redhat", "accepted": true}}"#), Some(true));
        assert_eq!(accepted(r#"{"properties": {"accepted": null}}"#), Some(false));
    }
}
