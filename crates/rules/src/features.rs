//! Feature sets, feature gates, gated fields and the operating system stream: `docs/install-config.md`,
//! sections 7.13 and 13.

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::config::InstallConfig;
use landfall_model::config::defaults::OS_IMAGE_STREAM;

use super::{Case, Gated};

const SETS: &[&str] = &["", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "OKD", "CustomNoUpgrade"];
const STREAMS: &[&str] = &["rhel-9", "rhel-10"];

/// The gates that are on without a feature set, each from a release on: `features/features.go` of openshift/api.
const DEFAULT_ON: &[(&str, [u64; 2])] = &[
    ("AWSClusterHostedDNSInstall", [4, 23]),
    ("AzureClusterHostedDNSInstall", [4, 22]),
    ("DualReplica", [4, 22]),
    ("OSStreams", [4, 23]),
];
/// The gates that the two preview sets turn on besides.
const PREVIEW_ON: &[&str] = &[
    "AWSDualStackInstall",
    "AWSEuropeanSovereignCloudInstall",
    "AWSDedicatedHosts",
    "ClusterAPIMachineManagementAWS",
    "MachineAPIMigration",
    "AzureMultiDisk",
    "AzureDualStackInstall",
    "MultiDiskSetup",
    "ConfigurablePKI",
];

/// The first release of gates whose settings those before do not have at all, which is said of these (LF0736).
const FIRST: &[(&str, [u64; 2])] = &[
    ("AWSClusterHostedDNSInstall", [4, 20]),
    ("AWSDedicatedHosts", [4, 22]),
    ("AWSDualStackInstall", [4, 22]),
    ("AWSEuropeanSovereignCloudInstall", [4, 22]),
    ("AzureDualStackInstall", [4, 22]),
    ("ClusterAPIMachineManagementAWS", [4, 22]),
    ("ConfigurablePKI", [4, 22]),
];

/// The gate of `osImageStream`, and of what the machine config operator does with it.
pub const OS_STREAMS: &str = "OSStreams";

/// The feature set cannot be used.
const SET: Code = Code::new("LF0160");
/// The gates cannot be read.
const GATES: Code = Code::new("LF0161");
/// A field's gate is off.
const GATED: Code = Code::new("LF0162");
/// The stream is not known.
const STREAM: Code = Code::new("LF0163");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let config = case.config;
    if !STREAMS.contains(&config.os_image_stream.as_str()) {
        out.push(Finding::not_supported(&STREAM, "osImageStream", &config.os_image_stream, STREAMS));
    }
    if !check_set(config, out) {
        return;
    }
    for used in gated(case) {
        // What it means for a stream in a release is judged before the config has its defaults.
        let release = case.release.filter(|_| used.gate != OS_STREAMS);
        let first = FIRST.iter().find(|(name, _)| *name == used.gate).map(|(_, first)| *first);
        let is_known = first.zip(release).is_none_or(|(first, release)| release >= first);
        if is_known && !is_on(config, &used.gate, release) {
            out.push(gate_off(&used));
        }
    }
}

/// A field whose gate is off.
fn gate_off(used: &Gated) -> Finding {
    let message = format!("this is a preview feature, and its feature gate `{}` is off", used.gate);
    // A region cannot be left out.
    let other = if used.field.ends_with(".region") { "use another region" } else { "remove the field" };
    let help =
        format!("{other}, or write `featureSet: CustomNoUpgrade` and `featureGates: [{}=true]`", used.gate);
    Finding::error(&GATED, Kind::Forbidden, used.field.as_str(), message).help(help).at(used.at.as_str())
}

/// Judges the stream of a config as given for a release that has one without the gate: 4.22 with `rhel-9`.
pub fn check_stream(given: &InstallConfig, release: [u64; 2], out: &mut Findings) {
    if release == [4, 22] && given.os_image_stream == "rhel-10" && !is_on(given, OS_STREAMS, Some(release)) {
        let [field, at] = ["osImageStream"; 2].map(str::to_owned);
        out.push(gate_off(&Gated { gate: OS_STREAMS.into(), field, at }));
    }
}

/// Judges the feature set and the gates; false if gated fields cannot be judged.
fn check_set(config: &InstallConfig, out: &mut Findings) -> bool {
    let before = out.errors();
    let set = config.feature_set.as_str();
    if !SETS.contains(&set) {
        let accepted = ["TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade"];
        out.push(Finding::not_supported(&SET, "featureSet", set, &accepted));
    } else if set == "OKD" {
        let message = "the feature set OKD is for OKD releases only";
        let finding = Finding::error(&SET, Kind::Forbidden, "featureSet", message);
        out.push(finding.help("remove `featureSet`"));
    }
    if !config.feature_gates.is_empty() && set != "CustomNoUpgrade" {
        let message = "`featureGates` has an effect only with `featureSet: CustomNoUpgrade`";
        let finding = Finding::error(&GATES, Kind::Forbidden, "featureGates", message);
        out.push(finding.help("add `featureSet: CustomNoUpgrade`, or remove `featureGates`"));
    }
    for (i, entry) in config.feature_gates.iter().enumerate() {
        if parse_gate(entry).is_none() {
            let message = format!("`{}` is not of the form `GATE=true` or `GATE=false`", shortened(entry));
            let finding = Finding::error(&GATES, Kind::Invalid, format!("featureGates[{i}]"), message);
            out.push(finding.help("write an entry such as DualReplica=true"));
        }
    }
    out.errors() == before
}

fn parse_gate(entry: &str) -> Option<(&str, bool)> {
    let (name, value) = entry.split_once('=')?;
    match value {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some((name, true)),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some((name, false)),
        _ => None,
    }
}

/// Whether a gate is on under the config's feature set (section 13), in a release or else the newest one.
#[must_use]
pub fn is_on(config: &InstallConfig, gate: &str, release: Option<[u64; 2]>) -> bool {
    let since = DEFAULT_ON.iter().find(|(name, _)| *name == gate).map(|(_, since)| *since);
    match config.feature_set.as_str() {
        // The rules of the newest installer, which count without a release, do not have this one on.
        "" if gate == "AWSDualStackInstall" => release.is_some_and(|release| release >= [4, 23]),
        "" => since.is_some_and(|since| release.is_none_or(|release| release >= since)),
        "CustomNoUpgrade" => {
            config.feature_gates.iter().filter_map(|entry| parse_gate(entry)).any(|on| on == (gate, true))
        }
        _ => since.is_some() || PREVIEW_ON.contains(&gate),
    }
}

/// Every use of a field behind a gate, the platform's own included.
fn gated<'a>(case: &'a Case<'_>) -> Vec<Gated> {
    let config: &'a InstallConfig = case.config;
    let mut used = case.gated.clone();
    let mut neutral = |gate: &'static str, field: &str, at: String| {
        used.push(Gated { gate: gate.into(), field: field.to_owned(), at });
    };
    if config.control_plane.as_ref().is_some_and(|p| p.fencing.is_some()) {
        neutral("DualReplica", "platform.none.fencingCredentials", "controlPlane.fencing".to_owned());
    }
    if config.control_plane.as_ref().is_some_and(|p| !p.disk_setup.is_empty()) {
        neutral("MultiDiskSetup", "controlPlane.diskSetup", "controlPlane.diskSetup".to_owned());
    }
    if let Some(i) = config.compute.iter().position(|p| !p.disk_setup.is_empty()) {
        neutral("MultiDiskSetup", "compute.diskSetup", format!("compute[{i}].diskSetup"));
    }
    if config.os_image_stream != OS_IMAGE_STREAM {
        neutral(OS_STREAMS, "osImageStream", "osImageStream".to_owned());
    }
    if config.pki.is_some() {
        neutral("ConfigurablePKI", "pki", "pki".to_owned());
    }
    used
}
