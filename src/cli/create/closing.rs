//! The last words of `create cluster`.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::Exit;
use crate::ui::counted;

/// The word about a cluster whose infrastructure stands, with what is left to be done.
pub(super) fn next_steps(infra_id: &str, standing: usize, bootstrap_gone: bool, directory: &Path) -> String {
    let mut text =
        format!("the infrastructure of {infra_id} stands: {}\nnext:\n", counted(standing, "resource"));
    let before: &[&str] =
        if bootstrap_gone { &[] } else { &["wait-for bootstrap-complete", "destroy bootstrap"] };
    for command in before.iter().chain(&["wait-for install-complete"]) {
        let _ = writeln!(text, "  landfall {command} --dir {}", directory.display());
    }
    text
}

/// How to go on after a run that ended so before its time. `at_fault` says whether something was found to be
/// wrong.
pub(super) fn again(standing: usize, exit: Exit, at_fault: bool, directory: &Path) -> String {
    // Nothing is wrong with what somebody stopped.
    let after = if at_fault && exit != Exit::Interrupted { ", once that is mended," } else { "" };
    if standing == 0 {
        return format!("nothing stands; run the same command again{after} to begin anew");
    }
    let (stand, them) = if standing == 1 { ("stands", "it") } else { ("stand", "them") };
    format!(
        "{} {stand}; run the same command again{after} to go on, or remove {them} with `landfall destroy \
         cluster --dir {}`",
        counted(standing, "resource"),
        directory.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_left_is_next() {
        let directory = Path::new("demo");
        let wanted = "the infrastructure of demo-bcd24 stands: 150 resources\nnext:\n  landfall wait-for \
                      bootstrap-complete --dir demo\n  landfall destroy bootstrap --dir demo\n  landfall \
                      wait-for install-complete --dir demo\n";
        assert_eq!(next_steps("demo-bcd24", 150, false, directory), wanted);
        let wanted = "the infrastructure of demo-bcd24 stands: 1 resource\nnext:\n  landfall wait-for \
                      install-complete --dir demo\n";
        assert_eq!(next_steps("demo-bcd24", 1, true, directory), wanted);
    }

    #[test]
    fn what_was_stopped_needs_no_mending() {
        let directory = Path::new("demo");
        let stopped = again(3, Exit::Interrupted, true, directory);
        assert!(stopped.starts_with("3 resources stand; run the same command again to go on"), "{stopped}");
        let failed = again(1, Exit::PartWay, true, directory);
        assert!(
            failed
                .starts_with("1 resource stands; run the same command again, once that is mended, to go on"),
            "{failed}"
        );
        assert_eq!(
            again(0, Exit::Interrupted, true, directory),
            "nothing stands; run the same command again to begin anew"
        );
    }
}
