//! The start volume of a machine: `docs/install-config.md`, section 10.6.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, nearest, shortened};
use landfall_model::aws::config::RootVolume;

const TYPES: &[&str] = &["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"];

/// The type is not known.
pub const TYPE: Page = Page {
    code: "LF0441",
    title: "the root volume's type is one of EBS",
    text: "gp3, gp2, io1, io2, st1, sc1 or standard.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.rootVolume.type", "platform.aws.defaultMachinePlatform.rootVolume.type"],
    base: Base::Aws,
    bad: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        type: ssd\n",
    good: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        type: gp3\n",
};
/// The size is negative.
pub const SIZE: Page = Page {
    code: "LF0442",
    title: "the root volume's size is not negative",
    text: "The size is in GiB; 120 unless given.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.rootVolume.size", "platform.aws.defaultMachinePlatform.rootVolume.size"],
    base: Base::Aws,
    bad: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        size: -1\n",
    good: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        size: 200\n",
};
/// The operations a second do not fit.
pub const IOPS: Page = Page {
    code: "LF0443",
    title: "operations a second are set on gp3, io1 and io2 volumes, and not negative",
    text: "The other types have what their size gives them.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.rootVolume.iops", "platform.aws.defaultMachinePlatform.rootVolume.iops"],
    base: Base::Aws,
    bad: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        type: gp2\n        iops: 4000\n",
    good: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        type: gp3\n        iops: 4000\n",
};
/// The throughput does not fit.
pub const THROUGHPUT: Page = Page {
    code: "LF0444",
    title: "throughput is set on gp3 volumes, from 125 to 2000, with enough operations a second",
    text: "In MiB a second. Each needs 4 operations a second: 1000 need `iops: 4000`.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.aws.rootVolume.throughput",
        "platform.aws.defaultMachinePlatform.rootVolume.throughput",
    ],
    base: Base::Aws,
    bad: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        type: gp3\n        throughput: 1000\n",
    good: "controlPlane:\n  platform:\n    aws:\n      rootVolume:\n        type: gp3\n        throughput: 1000\n        \
           iops: 4000\n",
};

/// Judges a volume; `path` is that of the settings, without `rootVolume`.
pub(super) fn check(volume: &RootVolume, path: &str, out: &mut Findings) {
    if volume.kind.is_empty() {
        return;
    }
    let mut fault = |page, name: &str, message: String, help: String| {
        let finding = Finding::error(page, Kind::Invalid, format!("{path}.{name}"), message);
        out.push(finding.help(help).at(format!("{path}.rootVolume.{name}")));
    };
    if volume.size < 0 {
        let message = format!("a volume of {} GiB is not possible", volume.size);
        fault(&SIZE, "size", message, "write a size in GiB, such as 120".to_owned());
    }
    let kind = volume.kind.to_ascii_lowercase();
    match kind.as_str() {
        "io1" | "io2" | "gp3" if volume.iops < 0 => {
            let message = format!("{} operations a second are not possible", volume.iops);
            fault(&IOPS, "iops", message, "remove `iops`, or write a positive number".to_owned());
        }
        "gp2" | "st1" | "sc1" | "standard" if volume.iops != 0 => {
            let message = format!("operations a second cannot be set on a {kind} volume");
            fault(&IOPS, "iops", message, "remove `iops`, or write `type: gp3`".to_owned());
        }
        kind if !TYPES.contains(&kind) => {
            let message =
                format!("`{}` is not a type of EBS; accepted: {}", shortened(&volume.kind), TYPES.join(", "));
            let near = nearest(kind, TYPES.iter().copied()).unwrap_or("gp3");
            fault(&TYPE, "type", message, format!("did you mean `{near}`?"));
        }
        _ => {}
    }
    if let Some((message, help)) =
        volume.throughput.and_then(|wanted| throughput_fault(&kind, wanted, volume.iops))
    {
        fault(&THROUGHPUT, "throughput", message, help);
    }
}

fn throughput_fault(kind: &str, wanted: i32, iops: i64) -> Option<(String, String)> {
    if kind != "gp3" {
        let message = format!("throughput cannot be set on a {} volume", shortened(kind));
        return Some((message, "remove `throughput`, or write `type: gp3`".to_owned()));
    }
    if !(125..=2000).contains(&wanted) {
        let message = format!("a throughput of {wanted} MiB a second is not possible");
        return Some((message, "write a number from 125 to 2000".to_owned()));
    }
    // The OpenShift installer compares with the lower 32 bits of the number.
    #[allow(clippy::cast_possible_truncation)]
    let given = if iops == 0 { 3000 } else { i64::from(iops as i32) };
    let needed = i64::from(wanted) * 4;
    if needed <= given {
        return None;
    }
    let enough = (needed + 99) / 100 * 100;
    let message = format!(
        "{wanted} MiB a second need {needed} operations a second, a quarter MiB each, and the volume has {given}"
    );
    Some((message, format!("write `iops: {}`", enough.max(3000))))
}
