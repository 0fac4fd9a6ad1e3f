//! What planning finds of the images of pools.

use super::*;

/// A region of the partition `aws` that has no published image in the release of the tests.
const COPIED_TO: &str = "mx-central-1";

/// The base config in a region that the image is copied to.
fn config_to_copy() -> InstallConfig {
    let mut config = base_config();
    if let Some(platform) = &mut config.platform.aws {
        COPIED_TO.clone_into(&mut platform.region);
    }
    config
}

fn facts_to_copy() -> Facts {
    Facts { region: COPIED_TO.to_owned(), ..base_facts() }
}

/// The config with a compute pool of arm64, and perhaps an image of that pool.
fn with_arm_workers(mut config: InstallConfig, image: &str) -> InstallConfig {
    for pool in &mut config.compute {
        "arm64".clone_into(&mut pool.architecture);
        pool.platform.aws = Some(config::MachinePool {
            instance_type: "m6g.xlarge".to_owned(),
            ami_id: image.to_owned(),
            ..config::MachinePool::default()
        });
    }
    config
}

/// The images of the compute pools of a plan.
fn compute_images(config: &InstallConfig, facts: Facts) -> Option<Vec<Option<String>>> {
    let (plan, _) = planned_with(Catalogue::embedded(), "4.14", config, facts, Source::Cloud, false);
    let plan = plan.and_then(|platforms| platforms.aws)?;
    Some(plan.compute.into_iter().map(|pool| pool.image).collect())
}

#[test]
fn only_the_image_of_the_control_planes_architecture_is_copied() {
    nothing_is_said(&config_to_copy(), facts_to_copy());
    let config = with_arm_workers(config_to_copy(), "");
    let findings = found(&config, facts_to_copy());
    assert_eq!(places(&findings), [("LF0702", "compute[0].platform.aws.amiID")]);
    assert_names(message(&findings), &["4.14", "arm64", "`mx-central-1`", "amd64"]);
    assert_names(help(&findings), &["compute[0].platform.aws.amiID"]);
    // What the config names, or the facts know, is there without a copy.
    let named = with_arm_workers(config_to_copy(), "ami-0arm");
    nothing_is_said(&named, facts_to_copy());
    let mut known = facts_to_copy();
    known.images.insert("arm64".to_owned(), "ami-0known".to_owned());
    assert_eq!(compute_images(&config, known), Some(vec![Some("ami-0known".to_owned())]));
}

#[test]
fn a_pool_without_machines_needs_no_image() {
    let mut config = with_arm_workers(config_to_copy(), "");
    for pool in &mut config.compute {
        pool.replicas = Some(0);
    }
    nothing_is_said(&config, facts_to_copy());
}

#[test]
fn the_image_of_the_control_plane_alone_is_not_that_of_other_pools() {
    let with_own = |mut config: InstallConfig| {
        if let Some(pool) = &mut config.control_plane {
            let ami_id = "ami-0own".to_owned();
            pool.platform.aws = Some(config::MachinePool { ami_id, ..config::MachinePool::default() });
        }
        config
    };
    let findings = found(&with_own(config_to_copy()), facts_to_copy());
    assert_eq!(places(&findings), [("LF0702", "compute[0].platform.aws.amiID")]);
    assert_names(message(&findings), &["4.14", "amd64", "`mx-central-1`", "control plane"]);
    assert_names(help(&findings), &["compute[0].platform.aws.amiID"]);
    // Another architecture is not reported twice.
    let findings = found(&with_own(with_arm_workers(config_to_copy(), "")), facts_to_copy());
    assert_eq!(places(&findings), [("LF0702", "compute[0].platform.aws.amiID")]);
    nothing_is_said(&with_own(with_arm_workers(config_to_copy(), "ami-0arm")), facts_to_copy());
    // Where images are published, other pools start from these.
    nothing_is_said(&with_own(base_config()), base_facts());
}
