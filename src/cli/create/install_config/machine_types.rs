//! What stands against a machine type that a user chooses.

use landfall_diagnostics::shortened;
use landfall_model::catalogue::Role;
use landfall_platform::survey::MachineType;

use crate::prepare::Basis;
use crate::prepare::draft::{Answers, Question};

/// What is known of the machine type that answers a question; none for other questions, and for the platform's own type.
fn known(question: Question, answers: &Answers, basis: &Basis) -> Option<MachineType> {
    let role = match question {
        Question::ControlPlaneType => Role::ControlPlane,
        Question::ComputeType => Role::Compute,
        _ => return None,
    };
    let answer = answers.get(question).filter(|answer| !answer.is_empty())?;
    let region = answers.region.as_deref().unwrap_or_default();
    Some(answers.survey()?.machine_type(&basis.catalogue, region, role, answer))
}

/// Why no machine can have this type.
pub(super) fn refused(question: Question, answers: &Answers, basis: &Basis) -> Option<String> {
    match known(question, answers, basis)? {
        MachineType::Refused(why) => Some(why),
        MachineType::Fits | MachineType::Unknown(_) => None,
    }
}

/// That landfall's catalogue does not have this type, which may exist.
pub(super) fn doubt(question: Question, answers: &Answers, basis: &Basis) -> Option<String> {
    let Some(MachineType::Unknown(near)) = known(question, answers, basis) else { return None };
    let near = near.map(|near| format!("; the nearest known type is `{near}`")).unwrap_or_default();
    let answer = shortened(answers.get(question).unwrap_or_default());
    Some(format!("`{answer}` is not in landfall's catalogue{near}"))
}
