//! The findings about ignition files, which the first machines of a cluster start with.

use landfall_diagnostics::{Code, Finding, Kind};

const MISSING: Code = Code::new("LF0670");
const BROKEN: Code = Code::new("LF0671");
const OLDER: Code = Code::new("LF0672");
const EXPIRED: Code = Code::new("LF0673");
const EXPIRING: Code = Code::new("LF0674");
const FOREIGN: Code = Code::new("LF0675");
const PROGRAM: Code = Code::new("LF0676");
const IN_THE_WAY: Code = Code::new("LF0677");
const OWN: Code = Code::new("LF0678");
const STANDING: Code = Code::new("LF0679");
const MACHINES: Code = Code::new("LF0680");
const LEFT_OUT: Code = Code::new("LF0681");
const RELEASE: Code = Code::new("LF0682");
const NO_KUBECONFIG: Code = Code::new("LF0683");

/// All of them.
const CODES: [Code; 14] = [
    MISSING,
    BROKEN,
    OLDER,
    EXPIRED,
    EXPIRING,
    FOREIGN,
    PROGRAM,
    IN_THE_WAY,
    OWN,
    STANDING,
    MACHINES,
    LEFT_OUT,
    RELEASE,
    NO_KUBECONFIG,
];

const ANEW: &str = "make the ignition files anew, or let landfall do it with --ignition openshift-install";

fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn verb(names: &[impl AsRef<str>]) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}

/// Files that are not in the directory that they are to be taken from.
#[must_use]
pub fn missing(names: &[&str], directory: &str, cluster: &str) -> Finding {
    let message = format!("{} {} missing in {directory}; nothing was created", listed(names), verb(names));
    let help = format!(
        "with openshift-install on PATH, landfall makes them of this cluster's manifests:\n  \
         landfall create cluster --dir {cluster} --ignition openshift-install\n\
         or put those of another tool into {cluster}, or name their folder with --ignition DIR"
    );
    Finding::error(&MISSING, Kind::Required, listed(names), message).help(help)
}

/// Whether a finding is one of these: they are about files that name no place in a config.
#[must_use]
pub fn is_of(finding: &Finding) -> bool {
    CODES.contains(finding.code)
}

/// A file that is no ignition config, or one that does nothing.
#[must_use]
pub fn broken(name: &str, path: &str, what: &str) -> Finding {
    let message = format!("{path} cannot be used: {what}; nothing was created");
    Finding::error(&BROKEN, Kind::Invalid, name, message).help(ANEW)
}

/// A file in the form of releases that are no longer installed.
#[must_use]
pub fn older(name: &str, path: &str) -> Finding {
    let message = format!(
        "`ignition.version` of {path} is 2.x, which only releases older than 4.6 read; nothing was created"
    );
    Finding::error(&OLDER, Kind::NotSupported, name, message)
        .help("make the ignition files with the openshift-install of the release that is to be installed")
}

/// Certificates that are no longer valid.
#[must_use]
pub fn expired(name: &str, path: &str, end: &str) -> Finding {
    let message = format!("a certificate in {path} expired at {end}; nothing was created");
    Finding::error(&EXPIRED, Kind::Invalid, name, message).help(ANEW)
}

/// Certificates that will soon not be valid any more.
#[must_use]
pub fn expiring(name: &str, path: &str, end: &str) -> Finding {
    let message = format!("a certificate in {path} expires at {end}, in less than two hours");
    Finding::warning(&EXPIRING, Kind::Invalid, name, message).help(ANEW)
}

/// Files of a cluster with another infrastructure id.
#[must_use]
pub fn foreign(place: &str, found: &str, wanted: &str) -> Finding {
    let message = format!(
        "the ignition files are of the cluster `{found}`, as {place} says, not of `{wanted}`; nothing was created"
    );
    let help = format!(
        "install that cluster, in a cluster directory of its own, with --infra-id {found}; or make them of this \
         directory's manifests with --ignition openshift-install"
    );
    Finding::error(&FOREIGN, Kind::Invalid, "infraID", message).help(help)
}

/// The program cannot be started.
#[must_use]
pub fn not_started(program: &str, why: &str) -> Finding {
    let message = format!("`{program}` cannot be started: {why}; nothing was created");
    Finding::error(&PROGRAM, Kind::Invalid, "", message).help(
        "put openshift-install of the release that is to be installed on PATH, or name the folder of ignition \
         files that were made elsewhere with --ignition DIR",
    )
}

/// The program ended with a fault.
#[must_use]
pub fn program_failed(command: &str, status: &str, said: Option<&str>, log: &str) -> Finding {
    let said = said.map_or_else(|| "it did not say why".to_owned(), |said| format!("it said: {said}"));
    let message = format!("`{command}` failed ({status}): {said}; nothing was created");
    Finding::error(&PROGRAM, Kind::Invalid, "", message).help(format!("its whole output is in {log}"))
}

/// The program did not leave behind what is expected of it.
#[must_use]
pub fn program_unknown(what: &str, log: &str) -> Finding {
    let message = format!("openshift-install ended well, but {what}; nothing was created");
    Finding::error(&PROGRAM, Kind::Invalid, "", message).help(format!(
        "its whole output is in {log}; use the openshift-install of the release that is to be installed"
    ))
}

/// A program of another release than the one that is to be installed.
#[must_use]
pub fn another_release(program: &str, version: &str, release: &str) -> Finding {
    let message = format!(
        "`{program}` installs OpenShift {version}, and the plan is for {release}; nothing was created"
    );
    Finding::error(&RELEASE, Kind::Invalid, "", message).help(format!(
        "use the openshift-install of {release}, or name the release of this one with --release"
    ))
}

/// Manifests that the program did not put into the bootstrap machine's file.
#[must_use]
pub fn left_out(name: &str, paths: &[&str], log: &str) -> Finding {
    let message = format!(
        "openshift-install did not put {} into {name} as {} here; the cluster would not be the one that was \
         planned; nothing was created",
        listed(paths),
        if paths.len() == 1 { "it is" } else { "they are" }
    );
    Finding::error(&LEFT_OUT, Kind::Invalid, name, message).help(format!(
        "the program's whole output is in {log}; use the openshift-install of the release that is to be installed, \
         or apply what was added by hand to the cluster when it stands"
    ))
}

/// Machines in the bootstrap machine's file that look for other infrastructure than the plan makes.
#[must_use]
pub fn other_machines(
    name: &str,
    path: &str,
    field: &str,
    found: &str,
    known: &[&str],
    release: &str,
) -> Finding {
    let message = format!(
        "the machines in {name} look for other infrastructure than landfall makes for {release}: `{field}` in {path} \
         names {found}, the plan {}; nothing was created",
        if known.is_empty() { "nothing".to_owned() } else { listed(known) }
    );
    Finding::error(&MACHINES, Kind::Invalid, name, message).help(
        "name the release that the ignition files were made for with --release, or have them made of this \
         directory's manifests with --ignition openshift-install",
    )
}

/// Ignition files without the access to the cluster that they make.
#[must_use]
pub fn no_kubeconfig(name: &str, directory: &str) -> Finding {
    let message = format!("there is no {name} in {directory}: landfall cannot ask the cluster how it is");
    Finding::warning(&NO_KUBECONFIG, Kind::Required, name, message).help(format!(
        "put the {name} that belongs to the ignition files beside them, or name it later with \
         `landfall wait-for --kubeconfig FILE`"
    ))
}

/// Files of somebody else where new ones are to be written into a cluster directory.
#[must_use]
pub fn in_the_way(paths: &[impl AsRef<str>], cluster: &str) -> Finding {
    let (them, new) = if paths.len() == 1 { ("it", "a new one") } else { ("them", "new ones") };
    let message = format!(
        "{} {} in {cluster} already, and not as landfall wrote {them}; nothing was created",
        listed(paths),
        verb(paths)
    );
    Finding::error(&IN_THE_WAY, Kind::Forbidden, listed(paths), message).help(format!(
        "move {them} away to have {new}; or, if the ignition files in the cluster directory are those that you \
         want, leave out --ignition"
    ))
}

/// Edited manifests whose edits would be lost.
#[must_use]
pub fn edits_lost(paths: &[impl AsRef<str>]) -> Finding {
    let them = if paths.len() == 1 { "it" } else { "them" };
    let message = format!(
        "{} {} edited, and openshift-install writes its own certificates there; nothing was created",
        listed(paths),
        verb(paths)
    );
    Finding::error(&OWN, Kind::Forbidden, listed(paths), message).help(format!(
        "remove {them}, and landfall makes its own again; apply the changes to the cluster when it stands"
    ))
}

/// Ignition files that are not those with which the infrastructure was made.
#[must_use]
pub fn changed_since(name: &str) -> Finding {
    let message = format!("{name} is not the one with which the cluster's infrastructure was made");
    Finding::warning(&STANDING, Kind::Invalid, name, message).help(
        "machines that stand keep what they started with; if they cannot work with the new files, put the earlier \
         ones back, or destroy the cluster and create it again",
    )
}

/// Manifests that were changed too late.
#[must_use]
pub fn too_late(name: &str) -> Finding {
    let message = format!("manifests were changed since {name} was made, and machines stand that use it");
    Finding::warning(&STANDING, Kind::Invalid, name, message)
        .help("the changes are not installed: apply them to the cluster when it stands")
}

/// Certificates that end, or have ended, after infrastructure was made.
#[must_use]
pub fn ends_while_standing(name: &str, path: &str, end: &str) -> Finding {
    let message =
        format!("a certificate in {path} ends at {end}, and infrastructure stands that was made with it");
    Finding::warning(&STANDING, Kind::Invalid, name, message).help(
        "this matters only if the control plane was not up by then: destroy the cluster and create it again, with \
         new ignition files",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_as_people_do() {
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        let finding = missing(&["a", "b"], "/d", "/c");
        assert_eq!(finding.code.as_str(), "LF0670");
        assert!(
            finding.message.starts_with(&listed(&["a", "b"])) && finding.message.contains(" /d"),
            "{finding:?}"
        );
    }

    #[test]
    fn one_file_is_one() {
        let one = in_the_way(&["auth/kubeconfig"], "/c");
        let two = in_the_way(&["a", "b"], "/c");
        for (finding, names, word) in [(&one, "auth/kubeconfig ", " it"), (&two, "a and b ", " them")] {
            assert_eq!(finding.code.as_str(), "LF0677");
            assert!(finding.message.starts_with(names) && finding.message.contains("/c"), "{finding:?}");
            assert!(finding.help.as_ref().is_some_and(|help| help.contains(word)), "{finding:?}");
        }
        let lost = edits_lost(&["a"]);
        assert!(lost.help.as_ref().is_some_and(|help| help.starts_with("remove it, ")));
        let missing = missing(&["a", "b"], "/d", "/c");
        landfall_testing::assert_findings("ignition", [&missing, &one, &two, &lost]);
    }
}
