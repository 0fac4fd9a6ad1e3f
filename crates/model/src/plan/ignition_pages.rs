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
const NO_AUTHORITY: Code = Code::new("LF0685");

/// All of them.
const CODES: [Code; 15] = [
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
    NO_AUTHORITY,
];

const ANEW: &str = "create the ignition files again, or run landfall with --ignition openshift-install";

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
        "with openshift-install on PATH, landfall creates them from this cluster's manifests:\n  \
         landfall create cluster --dir {cluster} --ignition openshift-install\n\
         or put those of another tool into {cluster}, or set their folder with --ignition DIR"
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
        .help("create the ignition files with the openshift-install of the same release")
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
        "the ignition files belong to the cluster `{found}` (see {place}), not to `{wanted}`; nothing was \
         created"
    );
    let help = format!(
        "install that cluster in its own cluster directory with --infra-id {found}; or create them from \
         this directory's manifests with --ignition openshift-install"
    );
    Finding::error(&FOREIGN, Kind::Invalid, "infraID", message).help(help)
}

/// The program cannot be started.
#[must_use]
pub fn not_started(program: &str, why: &str) -> Finding {
    let message = format!("`{program}` cannot be started: {why}; nothing was created");
    Finding::error(&PROGRAM, Kind::Invalid, "", message).help(
        "put openshift-install of the same release on PATH, or set the folder of existing ignition files \
         with --ignition DIR",
    )
}

/// The program ended with a fault.
#[must_use]
pub fn program_failed(command: &str, status: &str, said: Option<&str>, log: &str) -> Finding {
    let said = said.map_or_else(|| "it printed no reason".to_owned(), |said| format!("it printed: {said}"));
    let message = format!("`{command}` failed ({status}): {said}; nothing was created");
    Finding::error(&PROGRAM, Kind::Invalid, "", message).help(format!("its full output is in {log}"))
}

/// The program did not leave behind what is expected of it.
#[must_use]
pub fn program_unknown(what: &str, log: &str) -> Finding {
    let message = format!("openshift-install succeeded, but {what}; nothing was created");
    Finding::error(&PROGRAM, Kind::Invalid, "", message)
        .help(format!("its full output is in {log}; use the openshift-install of the same release"))
}

/// A program of another release than the one that is to be installed.
#[must_use]
pub fn another_release(program: &str, version: &str, release: &str) -> Finding {
    let message = format!(
        "`{program}` installs OpenShift {version}, but the plan is for {release}; nothing was created"
    );
    Finding::error(&RELEASE, Kind::Invalid, "", message)
        .help(format!("use the openshift-install of {release}, or set its release with --release"))
}

/// Manifests that the program did not put into the bootstrap machine's file.
#[must_use]
pub fn left_out(name: &str, paths: &[&str], log: &str) -> Finding {
    let message = format!(
        "openshift-install changed {} in {name} from what {} here; the cluster would differ from the plan; \
         nothing was created",
        listed(paths),
        if paths.len() == 1 { "it is" } else { "they are" }
    );
    Finding::error(&LEFT_OUT, Kind::Invalid, name, message).help(format!(
        "the program's full output is in {log}; use the openshift-install of the same release, \
         or apply the manual changes to the cluster once it runs"
    ))
}

/// The bootstrap machine's file does not have the authority that signs the machine config server's certificate, which
/// names addresses where the user provides the DNS records.
#[must_use]
pub fn no_authority(name: &str, path: &str) -> Finding {
    let message = format!(
        "{name} has no usable certificate authority at {path}, which signs the certificate of the machine config server \
         for the addresses of its load balancer; nothing was created"
    );
    Finding::error(&NO_AUTHORITY, Kind::Required, name, message).help(ANEW)
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
        "the machines in {name} expect other infrastructure than landfall creates for {release}: `{field}` \
         in {path} names {found}, the plan {}; nothing was created",
        if known.is_empty() { "nothing".to_owned() } else { listed(known) }
    );
    Finding::error(&MACHINES, Kind::Invalid, name, message).help(
        "set the release of the ignition files with --release, or create them from this directory's \
         manifests with --ignition openshift-install",
    )
}

/// Ignition files without the access to the cluster that they make.
#[must_use]
pub fn no_kubeconfig(name: &str, directory: &str) -> Finding {
    let message = format!("there is no {name} in {directory}: landfall cannot query the cluster");
    Finding::warning(&NO_KUBECONFIG, Kind::Required, name, message).help(format!(
        "put the {name} of the ignition files beside them, or set it later with \
         `landfall wait-for --kubeconfig FILE`"
    ))
}

/// Files of somebody else where new ones are to be written into a cluster directory.
#[must_use]
pub fn in_the_way(paths: &[impl AsRef<str>], cluster: &str) -> Finding {
    let (them, new) = if paths.len() == 1 { ("it", "a new one") } else { ("them", "new ones") };
    let message = format!(
        "{} {} in {cluster} already, edited or written by another program; nothing was created",
        listed(paths),
        verb(paths)
    );
    Finding::error(&IN_THE_WAY, Kind::Forbidden, listed(paths), message).help(format!(
        "move {them} away to have {new}; or, if the ignition files in the cluster directory are those that \
         you want, leave out --ignition"
    ))
}

/// Edited manifests whose edits would be lost.
#[must_use]
pub fn edits_lost(paths: &[impl AsRef<str>]) -> Finding {
    let them = if paths.len() == 1 { "it" } else { "them" };
    let message = format!(
        "{} {} edited, but openshift-install writes its own certificates there; nothing was created",
        listed(paths),
        if paths.len() == 1 { "was" } else { "were" }
    );
    Finding::error(&OWN, Kind::Forbidden, listed(paths), message).help(format!(
        "remove {them}, and landfall creates its own again; apply the changes to the cluster once it runs"
    ))
}

/// Ignition files that are not those with which the infrastructure was made.
#[must_use]
pub fn changed_since(name: &str) -> Finding {
    let message = format!("{name} is not the one that the cluster's infrastructure was created with");
    Finding::warning(&STANDING, Kind::Invalid, name, message).help(
        "existing machines keep their original files; if they cannot work with the new ones, restore the \
         earlier files, or destroy the cluster and create it again",
    )
}

/// Manifests that were changed too late.
#[must_use]
pub fn too_late(name: &str) -> Finding {
    let message = format!("manifests were changed after {name} was created, and existing machines use it");
    Finding::warning(&STANDING, Kind::Invalid, name, message)
        .help("the changes are not installed: apply them to the cluster once it runs")
}

/// Certificates that end, or have ended, after infrastructure was made.
#[must_use]
pub fn ends_while_standing(name: &str, path: &str, end: &str) -> Finding {
    let message =
        format!("a certificate in {path} expires at {end}, and existing infrastructure was created with it");
    Finding::warning(&STANDING, Kind::Invalid, name, message).help(
        "this matters only if the control plane was not running by then: destroy the cluster and create it \
         again, with new ignition files",
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
