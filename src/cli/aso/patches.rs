//! Files with the user's own changes to single objects.

use std::path::Path;

use landfall_diagnostics::{Finding, Findings};
use landfall_engine_aso::translate::pages;
use landfall_engine_aso::translate::patches::Patch;
use landfall_install_config::assets;
use landfall_install_config::verdict::Outcome;

use super::settings::{silent, text, unreadable};
use crate::prepare::{Examined, Refusal, Said};

/// The patches of a file. What is wrong with it is said without its content.
///
/// # Errors
/// It cannot be read, or it is no list of patches.
pub fn read(path: &Path) -> Result<Vec<Patch>, Refusal> {
    serde_saphyr::from_str(&text(path)?).map_err(|fault| {
        let line = fault.location().map(|place| place.line()).filter(|line| *line > 0);
        unreadable(path, pages::patch_list(line))
    })
}

/// The refusal of a plan: of its patches alone where nothing else is wrong, or of the config, with the places in it.
pub fn unfit(path: Option<&Path>, findings: Vec<Finding>, examined: &Examined) -> Refusal {
    if let Some(refusal) = misfit(path, &findings) {
        return refusal;
    }
    let mut out = Findings::default();
    for finding in findings {
        out.push(finding);
    }
    let findings = assets::placed(out, &examined.config, &examined.said.text);
    Refusal::Unfit(Box::new(Said { findings, outcome: Outcome::Rejected, ..examined.said.again() }))
}

/// The refusal of patches that do not fit the cluster's objects. It names the file of the patches; none where
/// no file has them, or something else is refused as well.
fn misfit(path: Option<&Path>, findings: &[Finding]) -> Option<Refusal> {
    let path = path.filter(|_| !findings.is_empty() && findings.iter().all(pages::is_of_patch))?;
    Some(Refusal::Unfit(Box::new(silent(path, Outcome::Rejected, findings.to_vec()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_what_is_no_patch_is_named() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("patches.yaml");
        std::fs::write(&file, "- kind: A\n  name: b\n  patch: '{}'\n- kind: A\n  name: b\n  canary: c\n")?;
        let Err(Refusal::Invalid(said)) = read(&file) else { return Err("the patches are read".into()) };
        let message = said.findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        assert!(message.starts_with("the patches cannot be read at line "), "{message}");
        assert!(said.text.is_empty() && said.file == file.display().to_string());
        std::fs::write(&file, "[]")?;
        assert_eq!(read(&file).map(|patches| patches.len()).ok(), Some(0));
        Ok(())
    }

    #[test]
    fn patches_alone_are_refused_in_their_file() {
        let patch = || pages::unusable_patch("RouteTable", "demo", "it cannot be parsed");
        let file = Path::new("patches.yaml");
        let said = match misfit(Some(file), &[patch()]) {
            Some(Refusal::Unfit(said)) => said.file,
            _ => String::new(),
        };
        assert_eq!(said, "patches.yaml");
        assert!(misfit(None, &[patch()]).is_none() && misfit(Some(file), &[]).is_none());
        assert!(misfit(Some(file), &[patch(), pages::patch_list(None)]).is_none());
    }
}
