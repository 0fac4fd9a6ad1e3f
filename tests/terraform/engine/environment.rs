//! What of the user's environment reaches terraform.

use std::path::{Path, PathBuf};
use std::process::Command;

use landfall_diagnostics::secret::Secret;
use landfall_engine_terraform::{Stop, Work};

use super::fixture::{Fixture, Seen, block_on, terraform, this_program};

const FOLDER: &str = "LANDFALL_TEST_BED";

const CONFIGURATION: &str = r#"
variable "who" {
  type    = string
  default = "landfall"
}

resource "terraform_data" "x" {
  input = var.who

  provisioner "local-exec" {
    command = "env > environment.txt"
  }
}

output "who" {
  value = var.who
}
"#;

#[test]
#[ignore = "started by another test"]
fn child_applies_with_what_it_is_given() {
    let mut fixture = Fixture::at(PathBuf::from(std::env::var_os(FOLDER).unwrap()));
    fixture.environment.push(("AWS_SESSION_NAME".to_owned(), Secret::new("canary-for-terraform".to_owned())));
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        fixture.init(&terraform, &stop).await.unwrap();
        fixture.run(&terraform, Work::Apply, &Seen::default(), &stop).await.unwrap();
        assert_eq!(fixture.outputs(&terraform).await["who"], "landfall");
    });
}

#[test]
#[ignore = "needs terraform"]
fn the_users_environment_does_not_change_the_work() {
    let fixture = Fixture::new(CONFIGURATION);
    let command = this_program("engine::environment::child_applies_with_what_it_is_given");
    let output = Command::new(&command[0])
        .args(&command[1..])
        .env(FOLDER, fixture.root())
        .env("TF_VAR_who", "somebody")
        .env("TF_CLI_ARGS", "-no-such-flag")
        .env("TF_CLI_ARGS_apply", "-refresh-only")
        .env("TF_WORKSPACE", "other")
        .env("TF_DATA_DIR", "/nonexistent/data")
        .env("TF_LOG", "trace")
        .env("TF_CLI_CONFIG_FILE", "/nonexistent/terraformrc")
        .env("OF_THE_USER", "kept")
        .output()
        .unwrap();
    let told =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.contains("1 passed"), "{told}");

    let seen = std::fs::read_to_string(fixture.folder().join("environment.txt")).unwrap();
    let names: Vec<&str> = seen.lines().filter_map(|line| line.split('=').next()).collect();
    for dropped in ["TF_VAR_who", "TF_CLI_ARGS", "TF_CLI_ARGS_apply", "TF_WORKSPACE", "TF_LOG"] {
        assert!(!names.contains(&dropped), "{dropped}");
    }
    assert!(seen.lines().any(|line| line == "OF_THE_USER=kept"));
    assert!(seen.lines().any(|line| line == "AWS_SESSION_NAME=canary-for-terraform"));
    assert!(!fixture.folder().join("terraform.tfstate.d").exists());
    for name in fixture
        .logs()
        .iter()
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "err"))
    {
        let text = std::fs::read_to_string(fixture.log().join(name)).unwrap();
        assert_eq!(text, "", "{name}");
    }
}
