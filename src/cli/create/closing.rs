//! The last words of `create cluster`.

use std::fmt::Write as _;
use std::path::Path;

use landfall_model::plan::Engine;

use super::summary::progress;
use crate::cli::Exit;
use crate::ui::counted;

/// The word about a cluster whose infrastructure stands.
pub(super) fn stands(infra_id: &str, standing: usize) -> String {
    format!("the infrastructure of {infra_id} exists: {}\n", counted(standing, "resource"))
}

/// The word about a cluster whose infrastructure stands, with what is left to be done.
pub(super) fn next_steps(
    infra_id: &str,
    standing: usize,
    bootstrap_gone: bool,
    engine: Engine,
    directory: &Path,
) -> String {
    let mut text = stands(infra_id, standing) + "next:\n";
    let before: &[&str] =
        if bootstrap_gone { &[] } else { &["wait-for bootstrap-complete", "destroy bootstrap"] };
    // What the cluster edits itself from then on, the operator would take back.
    let after: &[&str] = if engine == Engine::Aso { &["aso handover"] } else { &[] };
    for command in before.iter().chain(&["wait-for install-complete"]).chain(after) {
        let _ = writeln!(text, "  landfall {command} --dir {}", directory.display());
    }
    text
}

/// The word about a cluster whose infrastructure stands but for its machines, which are the user's to make.
pub(super) fn without_machines(infra_id: &str, standing: usize, directory: &Path) -> String {
    let stands = counted(standing, "resource");
    let directory = directory.display();
    format!(
        "the infrastructure of {infra_id} exists, without machines: {stands}\nnext:\n  create the \
         bootstrap machine and the control plane, for example with Cluster API or Terraform, from\n  \
         bootstrap.ign and master.ign, which `openshift-install create ignition-configs` creates from the \
         files in\n  {directory}; `landfall explain --engine aso` lists their other requirements\nonce \
         they run:\n  landfall wait-for bootstrap-complete --dir {directory}\n  remove the bootstrap \
         machine\n  landfall wait-for install-complete --dir {directory}\n  landfall aso handover --dir \
         {directory}\n"
    )
}

/// How the objects of a cluster stand after a run that ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stood {
    /// Nothing was changed.
    Untouched,
    /// They were not looked at to the end.
    Unknown,
    /// So many are as they are to be, of so many.
    So(usize, usize),
}

/// How to go on with objects after a run that ended so before its time.
pub(super) fn objects_again(stood: Stood, exit: Exit, at_fault: bool, directory: &Path) -> String {
    let after = after(exit, at_fault);
    let again = format!("run the same command again{after} to continue");
    let (done, all) = match stood {
        Stood::Untouched => return format!("no object was changed; {again}"),
        Stood::Unknown => return again,
        Stood::So(done, all) => (done, counted(all, "object")),
    };
    format!(
        "{done} of {all} are ready; {again}, or remove them with `landfall destroy cluster --dir {}`",
        directory.display()
    )
}

/// What comes before the same command. Nothing is wrong with what somebody stopped.
fn after(exit: Exit, at_fault: bool) -> &'static str {
    if at_fault && exit != Exit::Interrupted { ", once that is fixed," } else { "" }
}

/// How to go on after a run that ended so before its time, with so many of all resources. `at_fault` says
/// whether something was found to be wrong.
pub(super) fn again(standing: usize, total: usize, exit: Exit, at_fault: bool, directory: &Path) -> String {
    let after = after(exit, at_fault);
    if standing == 0 {
        return format!("no resource was created; run the same command again{after} to start again");
    }
    let them = if standing == 1 { "it" } else { "them" };
    format!(
        "{}; run the same command again{after} to continue, or remove {them} with `landfall destroy \
         cluster --dir {}`",
        progress(standing, total.max(standing)),
        directory.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::assert_names;

    /// The lines that can be pasted.
    fn commands(text: &str) -> Vec<&str> {
        text.lines().filter_map(|line| line.strip_prefix("  ")).collect()
    }

    #[test]
    fn only_what_is_left_is_next() {
        let directory = Path::new("demo");
        let cases = [(150, false, Engine::Terraform), (1, true, Engine::Terraform), (1, true, Engine::Aso)];
        let told = cases
            .map(|(resources, once, engine)| next_steps("demo-bcd24", resources, once, engine, directory));
        let [bootstrap, remove, install, hand_over] =
            ["wait-for bootstrap-complete", "destroy bootstrap", "wait-for install-complete", "aso handover"]
                .map(|words| format!("landfall {words} --dir demo"));
        assert_eq!(commands(&told[0]), [&bootstrap, &remove, &install]);
        assert_eq!(commands(&told[1]), [&install]);
        assert_eq!(commands(&told[2]), [&install, &hand_over]);
        assert_names(&told[0], &["demo-bcd24", " 150 "]);
        assert_names(&told[1], &["demo-bcd24", " 1 "]);
        landfall_testing::assert_text("create-next", &told.concat());
    }

    #[test]
    fn machines_come_before_what_waits_for_them() {
        let text = without_machines("demo-bcd24", 20, Path::new("demo"));
        assert_names(text.lines().next().unwrap_or_default(), &["demo-bcd24", " 20 "]);
        landfall_testing::assert_text("create-without-machines", &text);
        let places =
            ["bootstrap.ign", "bootstrap-complete", "remove the", "install-complete", "aso handover"];
        let places: Vec<Option<usize>> = places.iter().map(|words| text.find(words)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {text}");
        // It was not landfall that made the machine.
        assert!(!text.contains("destroy bootstrap"), "{text}");
    }

    #[test]
    fn of_objects_nothing_is_said_that_was_not_seen() {
        let told = |stood: Stood, exit: Exit| objects_again(stood, exit, true, Path::new("demo"));
        let refused = told(Stood::Untouched, Exit::Unfit);
        let unknown = told(Stood::Unknown, Exit::Interrupted);
        for sentence in [&refused, &unknown] {
            assert!(!sentence.contains("landfall destroy"), "{sentence}");
        }
        let part = told(Stood::So(3, 20), Exit::PartWay);
        assert!(part.starts_with("3 of 20 "), "{part}");
        assert!(part.ends_with("`landfall destroy cluster --dir demo`"), "{part}");
        let sentences = [("refused", refused), ("interrupted", unknown), ("part of the way", part)];
        let sentences = sentences.map(|(case, sentence)| (case.to_owned(), sentence));
        landfall_testing::assert_sentences("create-objects-again", sentences);
    }

    #[test]
    fn what_was_stopped_needs_no_mending() {
        let directory = Path::new("demo");
        let stopped = again(3, 5, Exit::Interrupted, true, directory);
        assert!(
            stopped.starts_with("3 of 5 resources exist, 2 to create; ") && !stopped.contains("fixed"),
            "{stopped}"
        );
        let failed = again(1, 5, Exit::PartWay, true, directory);
        assert!(failed.starts_with("1 of 5 ") && failed.contains("fixed"), "{failed}");
        let nothing = again(0, 5, Exit::Interrupted, true, directory);
        let sentences = [("stopped", stopped), ("failed", failed), ("nothing", nothing)];
        let sentences = sentences.map(|(case, sentence)| (case.to_owned(), sentence));
        landfall_testing::assert_sentences("create-again", sentences);
    }
}
