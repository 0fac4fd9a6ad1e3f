//! The start volume of a machine: `docs/install-config.md`, section 10.6.

use landfall_diagnostics::{Code, Finding, Findings, Kind, nearest, shortened};
use landfall_model::aws::config::RootVolume;

const TYPES: &[&str] = &["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"];

/// The type is not known.
pub const TYPE: Code = Code::new("LF0441");
/// The size is negative.
pub const SIZE: Code = Code::new("LF0442");
/// The operations a second do not fit.
pub const IOPS: Code = Code::new("LF0443");
/// The throughput does not fit.
pub const THROUGHPUT: Code = Code::new("LF0444");

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
        let message = format!("invalid volume size: {} GiB", volume.size);
        fault(&SIZE, "size", message, "write a size in GiB, such as 120".to_owned());
    }
    let kind = volume.kind.to_ascii_lowercase();
    match kind.as_str() {
        "io1" | "io2" | "gp3" if volume.iops < 0 => {
            let message = format!("invalid IOPS: {}", volume.iops);
            fault(&IOPS, "iops", message, "remove `iops`, or write a positive number".to_owned());
        }
        "gp2" | "st1" | "sc1" | "standard" if volume.iops != 0 => {
            let message = format!("`iops` cannot be set on a {kind} volume");
            fault(&IOPS, "iops", message, "remove `iops`, or write `type: gp3`".to_owned());
        }
        kind if !TYPES.contains(&kind) => {
            let message = format!(
                "`{}` is not an EBS volume type; accepted: {}",
                shortened(&volume.kind),
                TYPES.join(
                    ", \
                    "
                )
            );
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
        let message = format!("invalid throughput: {wanted} MiB/s");
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
    let message = format!("{wanted} MiB/s need {needed} IOPS (0.25 MiB/s each), and the volume has {given}");
    Some((message, format!("write `iops: {}`", enough.max(3000))))
}
