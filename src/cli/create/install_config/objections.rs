//! What stands against an answer of the wizard or of a flag.

use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, nearest, shortened};
use landfall_model::catalogue::KnownRegion;
use landfall_platform::survey::Survey;

use super::machine_types;
use crate::prepare::draft::{Answers, Question};
use crate::prepare::{Basis, draft};

/// The page of the book about regions that are not listed.
pub(super) const GUIDE: &str = "docs/how-to/hidden-region.md";
/// Where Red Hat hands out pull secrets.
pub(super) const PULL_SECRETS: &str = "https://console.redhat.com/openshift/install/pull-secret";

/// What stands against an answer.
pub(super) enum Objection {
    /// A rule.
    Finding(Box<Finding>),
    /// landfall does not know it; what is said of that.
    Words(String),
}

impl Objection {
    /// One line for the user who is being asked.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Finding(finding) => match &finding.help {
                Some(help) => format!("{}: {help}", finding.message),
                None => finding.message.clone(),
            },
            Self::Words(words) => words.clone(),
        }
    }
}

/// What stands against the answer to a question, given those before it.
pub(super) fn objection(
    question: Question,
    answers: &Answers,
    secret: Option<&Secret<String>>,
    basis: &Basis,
) -> Option<Objection> {
    if let Some(words) = unknown(question, answers, basis) {
        return Some(Objection::Words(words));
    }
    let finding = draft::fault(question, answers, secret, &basis.catalogue)?;
    // What the rule advises is for those who write the file by hand.
    let whole = || format!("paste the whole JSON text as downloaded; Red Hat's is at {PULL_SECRETS}");
    let finding = if question == Question::PullSecret { finding.help(whole()) } else { finding };
    Some(Objection::Finding(Box::new(finding)))
}

/// Says that landfall does not know an answer.
fn unknown(question: Question, answers: &Answers, basis: &Basis) -> Option<String> {
    let (survey, answer) = (answers.survey()?, answers.get(question)?);
    if !answers.applies(question) {
        return Some(format!("{} does not have this value", survey.title()));
    }
    if let Some(why) = machine_types::refused(question, answers, basis) {
        return Some(why);
    }
    let (known, what): (Vec<&str>, &str) = match question {
        Question::Cloud => (survey.clouds(&basis.catalogue), "cloud"),
        // The rule of the profile says what is to be said.
        Question::Region if basis.catalogue.allowance.is_some() => return None,
        Question::Region => {
            let regions = regions(survey, answers, basis);
            (regions.iter().map(|region| region.id).collect(), "region")
        }
        Question::Image => return survey.image_fault(answer),
        _ => return None,
    };
    if known.contains(&answer) {
        return None;
    }
    if question == Question::Region
        && let Some(cloud) = other_cloud(survey, answer, basis)
    {
        return Some(format!("`{}` is a region of {cloud}: set --cloud-name {cloud}", shortened(answer)));
    }
    let near = nearest(answer, known).map(|near| format!("did you mean `{near}`? else "));
    let near = near.unwrap_or_default();
    let (answer, otherwise) = (shortened(answer), survey.unlisted());
    Some(format!("`{answer}` is not a listed {what}: {near}{otherwise}; see {GUIDE}"))
}

/// The known regions of the chosen cloud.
pub(super) fn regions<'b>(survey: &dyn Survey, answers: &Answers, basis: &'b Basis) -> Vec<KnownRegion<'b>> {
    survey.regions(&basis.catalogue, &basis.release, answers.cloud.as_deref().unwrap_or_default())
}

/// The cloud of the platform that has a region.
fn other_cloud<'b>(survey: &dyn Survey, region: &str, basis: &'b Basis) -> Option<&'b str> {
    let has = |cloud: &&str| {
        let regions = survey.regions(&basis.catalogue, &basis.release, cloud);
        regions.iter().any(|known| known.id == region)
    };
    survey.clouds(&basis.catalogue).into_iter().find(has)
}
