//! How a person gives, takes back and leaves out answers.

use super::*;

/// Whoever reads the screen must see which answers were taken.
#[test]
fn a_refused_answer_stays_in_its_line_until_it_is_cleared() {
    let home = Home::new();
    let flags = [&FLAGS[..8], &["--pull-secret-file", "pull-secret.json"]].concat();
    let mut terminal = home.terminal_of((24, 80), &flags);
    terminal.wait_for("Cluster name:");
    terminal.press("Demo\r");
    let screen = terminal.wait_until("refusal", |screen| screen.contains("error: `Demo`"));
    assert_eq!(screen.matches("Cluster name").count(), 1, "{screen}");
    assert!(screen.trim_end().ends_with("Cluster name: Demo"), "{screen}");
    landfall_testing::assert_text("wizard-refused", &format!("{}\n", screen.trim_end()));
    terminal.press("\u{15}");
    terminal.wait_until("empty line", |screen| screen.trim_end().ends_with("Cluster name:"));
    terminal.press("demo\r");
    let screen = terminal.wait_until("next question", |screen| screen.contains("Machines:"));
    assert!(screen.contains("Cluster name: demo") && !screen.contains("error:"), "{screen}");
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130);
}

#[test]
fn a_resize_draws_the_question_anew() {
    let home = Home::new();
    let mut terminal = home.terminal_of((24, 120), &["--no-ssh-key", "--platform", "aws"]);
    terminal.wait_for("> us-east-1  US East");
    terminal.press("europe");
    // The list is the same before the last letter: what is still on its way when the terminal changes is broken there.
    terminal.wait_until("list of all that was typed", |screen| {
        screen.contains("(type to search): europe\n") && screen.contains("> eu-central-1  Europe (Frankfurt)")
    });
    terminal.resize(24, 60);
    // The line of the question has its text in the new width, and each item is there once.
    terminal.wait_until("list in the new width", |screen| {
        screen.matches("Region (type to search): europe").count() == 1
            && screen.matches("eu-central-1").count() == 1
            && screen.lines().all(|line| line.chars().count() <= 60)
    });
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130);
    assert!(terminal.is_restored());
}

#[test]
fn machines_and_publishing_may_be_chosen() {
    let home = Home::new();
    let mut terminal = home.terminal(&[&FLAGS[..8], &["--pull-secret-file", "pull-secret.json"]].concat());
    terminal.wait_for("Cluster name:");
    terminal.press("demo\r");
    terminal.wait_for("> defaults: ");
    terminal.press("\u{1b}[B\r");
    terminal.wait_for("Control plane machine type [default]:");
    terminal.press("m9.huge\r");
    terminal.wait_for("error: `m9.huge` is not an instance type");
    terminal.press("\u{15}m99i.xlarge\r");
    terminal.wait_for("error: `m99i.xlarge` is not in landfall's catalogue");
    terminal.press("\u{15}m6i.2xlarge\r");
    terminal.wait_for("Control plane machines [3]:");
    terminal.press("\r");
    terminal.wait_for("Compute machine type [default]:");
    terminal.press("\r");
    terminal.wait_for("Compute machines [3]:");
    terminal.press("many\r");
    terminal.wait_for("error: ");
    terminal.press("\u{15}5\r");
    terminal.wait_for("> External");
    terminal.press("j\r");
    assert_eq!(terminal.exit(), 0, "{}", terminal.screen());
    let config = home.config();
    assert_eq!(config["controlPlane"]["platform"]["aws"]["type"], "m6i.2xlarge");
    assert_eq!(
        (&config["controlPlane"]["replicas"], &config["compute"][0]["replicas"]),
        (&3.into(), &5.into())
    );
    assert_eq!(config["compute"][0]["platform"], Value::Null);
    assert_eq!(config["publish"], "Internal");
    assert!(home.validates());
}

#[test]
fn a_machine_type_that_cannot_exist_is_refused_and_an_unknown_one_warned_of() {
    let home = Home::new();
    let refused = home.create(&[FLAGS, &["--compute-type", "m9.huge"]].concat());
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("--compute-type: `m9.huge` is not an instance type"), "{said}");
    let warned = home.create(&[FLAGS, &["--compute-type", "m99i.xlarge"]].concat());
    let said = text(&warned.stderr);
    assert_eq!(warned.status.code(), Some(0), "{said}");
    assert!(said.contains("warning: --compute-type: `m99i.xlarge`"), "{said}");
}

#[test]
fn machines_and_publishing_have_flags() {
    let home = Home::new();
    let flags = ["--compute-replicas", "5", "--control-plane-type", "m6i.2xlarge", "--publish", "Internal"];
    let output = home.create(&[FLAGS, &flags].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let config = home.config();
    assert_eq!((&config["compute"][0]["replicas"], &config["publish"]), (&5.into(), &"Internal".into()));
    assert!(config["controlPlane"]["replicas"].is_null() && home.validates());
}

#[test]
fn a_region_without_a_published_image_asks_for_one() {
    let home = Home::new();
    let china = flags_with("--region", "cn-north-1");
    let mut terminal = home.terminal(&china);
    terminal.wait_for("Image of the machines:");
    terminal.press("image\r");
    terminal.wait_for("is not the ID of an AMI");
    terminal.press("\u{15}ami-0123456789abcdef0\r");
    terminal.wait_for("> defaults: ");
    terminal.press("\r");
    assert_eq!(terminal.exit(), 0, "{}", terminal.screen());
    let image = "ami-0123456789abcdef0";
    assert_eq!(home.config()["platform"]["aws"]["defaultMachinePlatform"]["amiID"], image);
    let other = Home::new();
    let output = other.create(&[&china[..], &["--ami-id", image]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(home.validates() && other.validates());
}

#[test]
fn the_cloud_of_a_region_is_named() {
    let flags =
        ["--no-ssh-key", "--platform", "azure", "--region", "usgovvirginia", "--base-domain", "example.com"];
    let output = Home::new().create(&flags);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("set --cloud-name AzureUSGovernmentCloud"), "{said}");
}
