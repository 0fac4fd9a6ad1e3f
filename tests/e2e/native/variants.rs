//! Configs for which terraform and the native engine must create the same resources.

use super::difference::same_with_both;
use crate::cloud::Cloud;
use crate::installation::Installation;
use crate::moto::Moto;

#[test]
#[ignore = "needs terraform and moto"]
fn native_and_terraform_create_the_same() {
    same_with_both(50, super::installation);
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_private_cluster_with_a_key_is_the_same() {
    same_with_both(40, || {
        let platform = |moto: &Moto| {
            let key = Cloud { moto, region: "us-east-1" }.key();
            format!(
                "    defaultMachinePlatform:\n      zones: [us-east-1a, us-east-1b]\n      \
                 metadataService:\n        authentication: Required\n      rootVolume:\n        \
                 kmsKeyARN: {key}\n        size: 130\n        type: gp3\n"
            )
        };
        Installation::prepare_edited("4.19", "us-east-1", Vec::new(), platform, |text| {
            let publish = "publish: External";
            assert!(text.contains(publish), "{text}");
            text.replace(publish, "publish: Internal")
        })
    });
}
