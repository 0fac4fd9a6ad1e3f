//! Providers: installed once, from a folder, without a network.

use std::path::PathBuf;
use std::process::Command;

use landfall_engine_terraform::{Cause, Fault, Search, Stop, Terraform, Work};

use super::fixture::{Fixture, SLOW, Seen, block_on, terraform, this_program};

const FOLDER: &str = "LANDFALL_TEST_BED";
const PLUGINS: &str = "LANDFALL_TEST_PLUGINS";

/// How often providers were installed.
fn installed(fixture: &Fixture) -> usize {
    fixture
        .logs()
        .iter()
        .filter(|name| name.starts_with("cluster-init-") && name.rsplit('.').next() == Some("log"))
        .count()
}

#[test]
#[ignore = "needs terraform"]
fn what_is_installed_is_not_installed_again() {
    let fixture = Fixture::new(SLOW);
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        for _ in 0..2 {
            fixture.init(&terraform, &stop).await.unwrap();
            assert_eq!(installed(&fixture), 1);
        }
        std::fs::write(fixture.folder().join("main.tf"), format!("{SLOW}\n# changed\n")).unwrap();
        fixture.init(&terraform, &stop).await.unwrap();
        assert_eq!(installed(&fixture), 2);
    });
}

#[test]
#[ignore = "needs terraform"]
fn a_broken_data_folder_is_healed() {
    let fixture = Fixture::new(SLOW);
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        let data = fixture.folder().join(".terraform");
        std::fs::create_dir(&data).unwrap();
        std::fs::write(data.join("terraform.tfstate"), "garbage").unwrap();
        fixture.init(&terraform, &stop).await.unwrap();
        // Once with what was there, once without.
        assert_eq!(installed(&fixture), 2);

        std::fs::remove_dir_all(&data).unwrap();
        std::fs::write(&data, "a file").unwrap();
        fixture.init(&terraform, &stop).await.unwrap();
        fixture.run(&terraform, Work::Apply, &Seen::default(), &stop).await.unwrap();
    });
}

#[test]
#[ignore = "needs terraform"]
fn a_provider_that_is_not_in_the_folder_is_reported() {
    let fixture = Fixture::new(
        "terraform {\n  required_providers {\n    aws = {\n      source = \"hashicorp/aws\"\n    }\n  }\n}\n",
    );
    let empty = tempfile::tempdir().unwrap();
    block_on(async {
        let search = Search { program: None, plugin_dir: Some(empty.path()) };
        let terraform = Terraform::find(&search).await.unwrap();
        let fault = fixture.init(&terraform, &Stop::default()).await.unwrap_err();
        let Fault::Init(failed) = &fault else { panic!("{fault:?}") };
        assert!(failed.troubles.iter().any(|trouble| trouble.cause == Cause::Provider), "{failed:?}");
        let finding = fault.finding().remove(0);
        assert_eq!(finding.code.as_str(), "LF1216");
        assert!(finding.message.contains("hashicorp/aws"), "{}", finding.message);
        assert!(finding.help.unwrap().contains("--plugin-dir"));
    });
}

#[test]
#[ignore = "started by another test"]
fn child_installs_from_a_folder() {
    let fixture = Fixture::at(PathBuf::from(std::env::var_os(FOLDER).unwrap()));
    let plugins = PathBuf::from(std::env::var_os(PLUGINS).unwrap());
    block_on(async {
        let search = Search { program: None, plugin_dir: Some(&plugins) };
        let terraform = Terraform::find(&search).await.unwrap();
        for _ in 0..2 {
            fixture.init(&terraform, &Stop::default()).await.unwrap();
        }
    });
    assert_eq!(installed(&fixture), 1);
}

/// A namespace of its own has no route to anywhere, not even the loopback interface.
#[test]
#[ignore = "needs terraform"]
fn the_real_provider_is_installed_without_a_network() {
    let (Some(program), Some(plugins)) = (crate::program(), crate::plugin_folder()) else {
        crate::services::missing(
            "terraform",
            "it needs terraform and a plugin directory with the AWS provider",
        );
    };
    let apart = ["-rn"];
    if !Command::new("unshare").args(apart).arg("true").status().is_ok_and(|status| status.success()) {
        crate::services::missing("network namespaces", "`unshare -rn` is not allowed here");
    }
    let (root, folders) = crate::staged("aws");
    let cluster = folders.iter().find(|folder| folder.ends_with("cluster")).unwrap();
    let command = this_program("engine::install::child_installs_from_a_folder");
    let output = Command::new("unshare")
        .args(apart)
        .args(&command)
        .env(FOLDER, root.path())
        .env(PLUGINS, &plugins)
        .output()
        .unwrap();
    let told =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.contains("1 passed"), "{told}");

    // The provider that is installed is the real one: it is started, and knows the module.
    let output = Command::new("unshare")
        .args(apart)
        .args([program, "validate", "-no-color"])
        .current_dir(cluster)
        .env("TF_DATA_DIR", cluster.join(".terraform"))
        .env("TF_CLI_CONFIG_FILE", "/dev/null")
        .env("CHECKPOINT_DISABLE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
