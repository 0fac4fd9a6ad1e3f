//! How help is laid out: commands in groups, general flags under a heading of their own, the usual flags alone in the
//! short help, and examples.

pub(super) mod examples;

use std::fmt::Write as _;

use clap::Command;

/// Commands by what they are for. Every command is in one group.
const GROUPS: &[(&str, &[&str])] = &[
    ("Create", &["create", "wait-for", "metadata"]),
    ("Inspect", &["validate", "preflight", "facts", "defaults", "explain", "schema", "regions", "graph"]),
    ("Destroy", &["destroy"]),
    ("In the cluster", &["operator", "aso", "cloud-config", "profile"]),
    ("Tools", &["gather", "completion", "man", "version"]),
];

/// Flags that many commands share: they have a heading of their own, whatever stands before them.
const GENERAL: &[&str] =
    &["release", "stream", "catalogue", "cloud_profile", "cloud_profile_ref", "unknown_fields"];
const GENERAL_HEADING: &str = "Release and catalogue";

/// Flags without a heading that only the long help lists.
const RARE: &[&str] = &[
    "anchor_uid",
    "cloud_name",
    "cluster_id",
    "controller_settings",
    "engine_settings",
    "feature_gate",
    "listen",
    "now",
    "operator_namespace",
    "parallel",
    "plugin_dir",
    "recover",
    "terraform",
    "webhook_listen",
    "webhook_service",
    "aso_patches",
    "api_internal_ip",
    "clean_machine_images",
    "leader_elect",
    "target_namespace",
    "target_config_map",
    "managed_config_map",
    "no_ssh_key",
    "base_domain_resource_group",
    "upgrade_crds",
    "release_version",
];

/// Flags of [`GENERAL`] that the short help of these commands lists, as their users need them most.
const KEPT: &[(&str, &[&str])] =
    &[("create manifests", &["release"]), ("preflight", &["release"]), ("regions", &["release"])];

/// What the short help of a command leaves out beside.
const ASIDE: &[(&str, &[&str])] = &[
    ("create cluster", &["facts", "infra_id", "no_wait", "accept", "prices"]),
    ("create install-config", &["ssh_key_file", "ami_id"]),
    ("destroy cluster", &["remove_user_objects"]),
    ("gather", &["timeout"]),
    ("aso install", &["values", "namespace", "crd_pattern"]),
    ("aso upgrade", &["values", "namespace", "crd_pattern"]),
    ("aso render", &["facts", "show_secrets", "machines", "stage"]),
    (
        "operator manifests",
        &[
            "check",
            "namespace",
            "take_over",
            "image",
            "replicas",
            "secret_namespaces",
            "aso_namespace",
            "workload_identity_audience",
            "metrics_tls",
            "admission_policies",
            "clean_cloud_profiles",
            "monitoring",
            "monitoring_label",
            "runbooks",
            "watch_namespace",
            "unique_infra_ids",
            "watch_label_selector",
            "profiles",
            "workers",
            "rollout_limit",
        ],
    ),
    (
        "operator run",
        &[
            "metrics_listen",
            "metrics_cert_dir",
            "watch_namespace",
            "unique_infra_ids",
            "watch_label_selector",
            "profiles",
            "workers",
            "rollout_limit",
            "admission_policies",
            "clean_cloud_profiles",
        ],
    ),
];

/// The columns that help is wrapped at where the terminal is wider.
const WIDEST: usize = 120;

const MORE: &str = "Use --help for all options and their details.";

/// Adds examples and headings: what help, manual pages, completions and the reference have in common.
pub fn described(command: Command) -> Command {
    each(command.max_term_width(WIDEST), "", &|command, name| {
        let general: Vec<String> = command
            .get_arguments()
            .map(|argument| argument.get_id().to_string())
            .filter(|id| GENERAL.contains(&id.as_str()))
            .collect();
        let command = general.into_iter().fold(command, |command, id| {
            command.mut_arg(id, |argument| argument.help_heading(GENERAL_HEADING))
        });
        match listed(name) {
            Some(examples) => command.after_help(format!("{examples}\n\n{MORE}")).after_long_help(examples),
            None => command,
        }
    })
}

/// The command line as it is parsed: described, with a short help that fits a screen.
pub fn shaped(command: Command) -> Command {
    let command = each(described(command), "", &|command, name| {
        let kept = row(KEPT, name);
        let aside = row(ASIDE, name);
        let hidden: Vec<String> = command
            .get_arguments()
            .filter(|argument| {
                let id = argument.get_id().as_str();
                let is_aside =
                    argument.get_help_heading().is_some() || RARE.contains(&id) || aside.contains(&id);
                is_aside && !argument.is_required_set() && !kept.contains(&id)
            })
            .map(|argument| argument.get_id().to_string())
            .collect();
        hidden
            .into_iter()
            .fold(command, |command, id| command.mut_arg(id, |argument| argument.hide_short_help(true)))
    });
    grouped(command)
}

/// What a table has for a command.
fn row(table: &[(&str, &'static [&'static str])], name: &str) -> &'static [&'static str] {
    table.iter().find(|(command, _)| *command == name).map(|(_, ids)| *ids).unwrap_or_default()
}

/// Lists the commands in their groups.
fn grouped(command: Command) -> Command {
    let about = |name: &str| {
        let below = command.get_subcommands().find(|below| below.get_name() == name);
        below.map(|below| below.get_about().map(ToString::to_string).unwrap_or_default())
    };
    let (mut short, mut long) = (String::new(), String::new());
    for (title, names) in GROUPS {
        let known: Vec<(&str, String)> =
            names.iter().filter_map(|name| Some((*name, about(name)?))).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(long, "{title}:");
        for (name, about) in &known {
            let _ = writeln!(long, "  {name:<13} {about}");
        }
        let _ = writeln!(long);
        if known.len() > 3 {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let _ = writeln!(short, "{title}: {}", names.join(", "));
            continue;
        }
        let _ = writeln!(short, "{title}:");
        for (name, about) in &known {
            let _ = writeln!(short, "  {name:<13} {about}");
        }
    }
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |below| below.hide(true)));
    command
        .override_usage("landfall [OPTIONS] <COMMAND>")
        .help_template("{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}")
        .after_help(format!("{short}\nUse landfall COMMAND --help for a command, landfall --help for all."))
        .after_long_help(long.trim_end().to_owned())
}

/// The examples of a command, with their heading.
fn listed(name: &str) -> Option<String> {
    let examples = examples::of(name);
    (!examples.is_empty()).then(|| format!("Examples:\n  {}", examples.join("\n  ")))
}

/// Does something to a command and to all below it; each is given its name, without that of the program.
fn each(command: Command, name: &str, change: &impl Fn(Command, &str) -> Command) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = below.into_iter().fold(command, |command, below| {
        let path = format!("{name} {below}");
        command.mut_subcommand(below, |below| each(below, path.trim(), change))
    });
    change(command, name)
}

#[cfg(test)]
mod tests;
