//! How much of everything the subscription may have, and what is left of it.

use serde_json::json;

use super::answer::{denied, page, throttled};
use super::arm::{Azure, Trouble};
use super::scene::{checks, config, landfall, public, subscription};
use crate::program::{Report, text};

/// What six machines and the one to begin with need together.
const NEEDED: u32 = 44;

/// A report of a subscription with these limits, each with what is used of it already. A name stands for all
/// that contain it.
fn limited(limits: &[(&str, u32, u32)]) -> Report {
    let azure = Azure::start(public());
    azure.edit(|tree| {
        for provider in ["Microsoft.Compute", "Microsoft.Network"] {
            let path = subscription(&format!("/providers/{provider}/locations/eastus/usages"));
            for entry in tree.at(&path)["value"].as_array_mut().unwrap() {
                let name = entry["name"]["value"].as_str().unwrap_or_default().to_owned();
                if let Some((_, limit, used)) = limits.iter().find(|(wanted, _, _)| name.contains(wanted)) {
                    entry["limit"] = json!(limit);
                    entry["currentValue"] = json!(used);
                }
            }
        }
    });
    landfall(&azure, &config("")).preflight()
}

fn numbers(limit: u32, used: u32) -> [String; 3] {
    [limit, used, NEEDED].map(|number| number.to_string())
}

#[test]
fn limits_are_compared_with_what_the_cluster_needs() {
    let says = |report: &Report, id: &str, status: &str, (limit, used): (u32, u32)| {
        let numbers = numbers(limit, used);
        report.says(id, status, &numbers.each_ref().map(String::as_str));
    };
    let report = limited(&[("standardDSv3Family", 40, 10)]);
    says(&report, "azure.quota.standardDSv3Family", "failed", (40, 10));
    report.is("azure.quota.cores", "passed");
    assert_eq!(report.with("failed").len(), 1, "{}", report.ran);

    let report = limited(&[("cores", 53, 10)]);
    says(&report, "azure.quota.cores", "failed", (53, 10));
    report.is("azure.quota.standardDSv3Family", "passed");

    // It is enough, and nothing is left.
    let report = limited(&[("cores", 54, 10)]);
    says(&report, "azure.quota.cores", "warned", (54, 10));
    assert_eq!(report.ran.code, Some(0), "{}", report.ran);
}

#[test]
fn networks_have_limits_too() {
    let full = |name: &str, part: &str| {
        let report = limited(&[(name, 2, 2)]);
        let failed: Vec<&str> = checks(&report, "azure.quota.")
            .into_iter()
            .filter(|check| text(check, "status") == "failed")
            .map(|check| text(check, "id"))
            .collect();
        assert!(
            failed.iter().any(|id| id.to_lowercase().contains(part)),
            "{name}: {failed:?} {}",
            report.ran
        );
    };
    full("VirtualNetworks", "network");
    full("LoadBalancers", "balancer");
    full("ublicI", "ip");
    full("ublicIp", "ip");
}

/// Limits that the caller may not see keep nobody from anything.
#[test]
fn limits_that_are_not_told_are_not_compared() {
    let path = "/providers/microsoft.compute/locations/eastus/usages";
    let hidden = Trouble::always(path, |_| denied("Microsoft.Compute/locations/usages/read"));
    let azure = Azure::start(public().with(hidden));
    let report = landfall(&azure, &config("")).preflight();
    report.passes();
    report.says("azure.quotas", "skipped", &["denied", "Microsoft.Compute"]);
    let told: Vec<&str> =
        checks(&report, "azure.quota.").into_iter().map(|check| text(check, "id")).collect();
    assert!(!told.contains(&"azure.quota.cores"), "{told:?}");
    report.is("azure.quota.LoadBalancers", "passed");
    landfall(&azure, &config("")).ask(&["facts"]).ends(0);
}

/// Nor do limits that nobody tells, whatever the reason.
#[test]
fn trouble_with_limits_leaves_the_rest() {
    let path = "/providers/microsoft.network/locations/eastus/usages";
    let troubles = [Trouble::always(path, |_| throttled(0)), Trouble::always(path, |_| page())];
    for trouble in troubles {
        let azure = Azure::start(public().with(trouble));
        let report = landfall(&azure, &config("")).preflight();
        report.passes();
        report.is("azure.quota.cores", "passed");
        let check = report.is("azure.quotas", "skipped").to_string();
        assert!(check.contains("Microsoft.Network"), "{check}");
        let landfall = landfall(&azure, &config(""));
        landfall.ask(&["facts"]).ends(0);
        landfall.ask(&["create", "manifests"]).ends(0);
    }
}
