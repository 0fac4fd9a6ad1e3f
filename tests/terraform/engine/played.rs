//! A program that plays terraform: what the built-in resource never says.

use std::path::{Path, PathBuf};

use landfall_diagnostics::secret::Secret;
use landfall_engine_terraform::{Cause, Done, Fault, Search, Stop, Terraform, Work};
use serde_json::{Value, json};

use super::fixture::{Fixture, Seen, block_on, program};

/// Answers for its version and `init`, and plays the script of the stage for the rest.
const PLAYER: &str = r#"#!/bin/sh
case "$1" in
  version) echo '{"terraform_version": "1.11.4", "platform": "linux_amd64"}' ;;
  init) exit 0 ;;
  *) . "$SCRIPT" ;;
esac
"#;

struct Played {
    fixture: Fixture,
    player: PathBuf,
}

impl Played {
    /// A stage whose run is `script`, which may print the file `$EVENTS`.
    fn new(script: &str, events: &[String]) -> Self {
        let mut fixture = Fixture::new("# played\n");
        let at = |name: &str| fixture.root().join(name);
        let (player, script_at, events_at) = (at("played-terraform"), at("script"), at("events"));
        program(&player, PLAYER);
        std::fs::write(&script_at, script).unwrap();
        std::fs::write(&events_at, events.join("\n") + "\n").unwrap();
        for (name, path) in [("SCRIPT", &script_at), ("EVENTS", &events_at), ("COUNT", &at("count"))] {
            fixture.environment.push((name.to_owned(), Secret::new(path.display().to_string())));
        }
        Self { fixture, player }
    }

    async fn terraform(&self) -> Terraform {
        let search = Search { program: Some(&self.player), plugin_dir: None };
        Terraform::find(&search).await.unwrap()
    }

    fn run(&self, seen: &Seen<'_>, stop: &Stop) -> Result<Done, Fault> {
        block_on(async {
            let terraform = self.terraform().await;
            self.fixture.init(&terraform, stop).await?;
            self.fixture.run(&terraform, Work::Apply, seen, stop).await
        })
    }
}

fn hook(sort: &str, address: &str) -> String {
    json!({
        "@level": "info", "@message": "x", "type": sort,
        "hook": {"resource": {"addr": address}, "action": "create", "elapsed_seconds": 10},
    })
    .to_string()
}

fn summary(operation: &str, add: u64, remove: u64) -> String {
    let changes = json!({"add": add, "change": 0, "import": 0, "remove": remove, "operation": operation});
    json!({"@message": "Plan", "type": "change_summary", "changes": changes}).to_string()
}

fn error(address: Option<&str>, summary: &str, detail: &str) -> String {
    let mut said = json!({"severity": "error", "summary": summary, "detail": detail});
    if let Some(address) = address {
        said["address"] = Value::from(address);
    }
    json!({"@level": "error", "@message": "Error", "type": "diagnostic", "diagnostic": said}).to_string()
}

/// What exists was read moments ago.
#[test]
fn a_run_that_continues_reads_nothing_again() {
    let played = Played::new("echo \"$*\" >>\"$COUNT\"; cat \"$EVENTS\"", &[summary("apply", 1, 0)]);
    let run = |terraform: Terraform, work: Work| {
        block_on(async {
            let (stop, seen) = (Stop::default(), Seen::default());
            played.fixture.init(&terraform, &stop).await.unwrap();
            played.fixture.run(&terraform, work, &seen, &stop).await.unwrap();
        });
    };
    let terraform = || block_on(played.terraform());
    run(terraform(), Work::Apply);
    run(terraform().continuing(), Work::Apply);
    run(terraform().continuing(), Work::Destroy);
    let preview = |terraform: Terraform| {
        // What is played here prints a plan without resources.
        block_on(played.fixture.preview(&terraform, &Stop::default())).unwrap();
    };
    preview(terraform());
    preview(terraform().continuing());
    let called = std::fs::read_to_string(played.fixture.root().join("count")).unwrap();
    let works = called.lines().filter(|line| !line.starts_with("show"));
    let unread: Vec<bool> = works.map(|line| line.contains("-refresh=false")).collect();
    assert_eq!(unread, [false, true, false, false, true], "{called}");
}

#[test]
fn what_is_not_known_or_broken_or_huge_does_no_harm() {
    let change = json!({"resource": {"addr": "aws_vpc.this"}, "action": "update"});
    let events = [
        json!({"type": "version", "terraform": "1.11.4", "ui": "1.2"}).to_string(),
        json!({"type": "resource_drift", "change": change}).to_string(),
        json!({"type": "planned_change", "change": change}).to_string(),
        summary("plan", 2, 1),
        hook("apply_start", "aws_vpc.this"),
        "{\"type\":\"apply_start\",\"hook\"".to_owned(),
        "panic: something that a provider printed".to_owned(),
        String::new(),
        "[1,2,3]".to_owned(),
        json!({"type": "of_tomorrow", "hook": {"resource": 7}}).to_string(),
        json!({"type": "provision_progress", "hook": {"output": "x".repeat(10 << 20)}}).to_string(),
        hook("apply_progress", "aws_vpc.this"),
        json!({"type": "diagnostic", "diagnostic": {"severity": "warning", "summary": "old"}}).to_string(),
        hook("apply_complete", "aws_vpc.this"),
        hook("apply_start", "aws_eip.nat[0]"),
        hook("apply_complete", "aws_eip.nat[0]"),
        summary("apply", 2, 1),
    ];
    let played = Played::new("cat \"$EVENTS\"; printf '\\377\\376 no end'", &events);
    let seen = Seen::default();
    let done = played.run(&seen, &Stop::default()).unwrap();
    assert_eq!((done.added, done.changed, done.removed), (2, 0, 1));
    let last = seen.all().pop().unwrap();
    assert_eq!((last.total, last.done, last.running.len()), (Some(3), 2, 0));
}

#[test]
fn what_providers_say_is_sorted_and_scrubbed() {
    let events = [
        summary("plan", 4, 0),
        error(
            Some("aws_vpc.this"),
            "creating EC2 VPC",
            "operation error EC2: CreateVpc, https response error StatusCode: 503, api error \
             RequestLimitExceeded: Request limit exceeded.",
        ),
        error(
            Some("aws_eip.nat[0]"),
            "creating EC2 EIP: AddressLimitExceeded: The maximum number of addresses has been reached.",
            "",
        ),
        error(
            Some("aws_iam_role.master"),
            "creating IAM Role: AccessDenied",
            "token canary-for-terraform at https://u:canary@host/x?X-Amz-Signature=canary is refused",
        ),
        error(Some("aws_s3_bucket.ignition"), "creating S3 Bucket (x): BucketAlreadyExists", ""),
        error(None, "Something else", &format!("{}canary", "y".repeat(5000))),
    ];
    let mut played = Played::new("cat \"$EVENTS\"; exit 1", &events);
    let token = Secret::new("canary-for-terraform".to_owned());
    played.fixture.environment.push(("AWS_SESSION_TOKEN".to_owned(), token));
    let fault = played.run(&Seen::default(), &Stop::default()).unwrap_err();
    let Fault::Failed(failed) = &fault else { panic!("{fault:?}") };
    let causes: Vec<Cause> = failed.troubles.iter().map(|trouble| trouble.cause).collect();
    let expected = [Cause::Throttled, Cause::Quota, Cause::Permission, Cause::NameTaken, Cause::Other];
    assert_eq!(causes, expected);
    let codes: Vec<&str> = fault.finding().iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["LF1210", "LF1211", "LF1212", "LF1213", "LF1219"]);
    let shown = format!("{fault} {fault:?} {:?}", fault.finding());
    assert!(!shown.contains("canary"), "{shown}");
    assert!(fault.finding()[0].message.starts_with("`aws_vpc.this` "));
}

#[test]
fn a_crash_is_reported_by_its_last_words() {
    let played = Played::new("echo 'first'; echo 'panic: runtime error' >&2; exit 11", &[]);
    let fault = played.run(&Seen::default(), &Stop::default()).unwrap_err();
    let Fault::Failed(failed) = &fault else { panic!("{fault:?}") };
    assert_eq!((failed.code, failed.troubles.len()), (Some(11), 1));
    assert!(fault.finding()[0].message.contains("panic: runtime error"));

    let silent = Played::new("exit 3", &[]);
    let fault = silent.run(&Seen::default(), &Stop::default()).unwrap_err();
    assert!(fault.finding()[0].message.contains("exit code 3"), "{:?}", fault.finding());

    let killed = Played::new("kill -SEGV $$", &[]);
    let fault = killed.run(&Seen::default(), &Stop::default()).unwrap_err();
    assert!(matches!(fault, Fault::Killed { signal: 11, .. }), "{fault:?}");
}

#[test]
fn it_is_interrupted_once_however_often_that_is_asked_for() {
    // Counts interrupts, says so by an event, and ends when the gate is opened.
    let script = r#"
n=0
trap 'n=$((n + 1)); echo $n > "$COUNT"; echo "$AFTER"' INT
cat "$EVENTS"
read -r line < "$GATE" &
reader=$!
while kill -0 $reader 2> /dev/null; do wait $reader; done
exit 1
"#;
    let events = [summary("plan", 2, 0), hook("apply_start", "a.slow")];
    let mut played = Played::new(script, &events);
    let gate = played.fixture.root().join("gate");
    let after = hook("apply_start", "a.interrupted");
    played.fixture = played.fixture.with_gate();
    played.fixture.variables.clear();
    for (name, value) in [("GATE", gate.display().to_string()), ("AFTER", after)] {
        played.fixture.environment.push((name.to_owned(), Secret::new(value)));
    }
    let stop = Stop::default();
    let open = std::sync::Mutex::new(None);
    let runs = |progress: &landfall_engine_terraform::Progress, address: &str| {
        progress.running.iter().any(|running| running.address == address)
    };
    let seen = Seen::reacting(|progress| {
        if runs(progress, "a.slow") {
            stop.ask();
        }
        if runs(progress, "a.interrupted") {
            stop.ask();
            open.lock().unwrap().get_or_insert_with(|| played.fixture.open());
        }
    });
    let fault = played.run(&seen, &stop).unwrap_err();
    assert!(matches!(fault, Fault::Interrupted(_)), "{fault:?}");
    let count = std::fs::read_to_string(played.fixture.root().join("count")).unwrap();
    assert_eq!(count.trim(), "1");
}

#[test]
fn a_program_must_be_there_and_new_enough() {
    let folder = tempfile::tempdir().unwrap();
    let find = |path: &Path| {
        let path = path.to_owned();
        let search_for = async move {
            let search = Search { program: Some(&path), plugin_dir: None };
            Terraform::find(&search).await
        };
        block_on(search_for).map(|found| (found.name().to_owned(), found.version().to_string()))
    };
    let answering = |name: &str, answer: &str| {
        let path = folder.path().join(name);
        program(&path, &format!("#!/bin/sh\necho '{answer}'\n"));
        path
    };
    let old = answering("old", "{\"terraform_version\": \"1.5.7\"}");
    let fault = find(&old).unwrap_err();
    assert!(matches!(&fault, Fault::TooOld { found } if found.len() == 1), "{fault:?}");
    assert!(fault.to_string().contains("1.5.7") && fault.to_string().contains("1.6"), "{fault}");

    let tofu = answering("tofu", "{\"terraform_version\": \"1.6.0\"}");
    assert_eq!(find(&tofu).unwrap(), ("OpenTofu".to_owned(), "1.6.0".to_owned()));

    let other = answering("other", "hello");
    assert!(matches!(find(&other), Err(Fault::NotTerraform { .. })));
    let missing = folder.path().join("missing");
    assert!(matches!(find(&missing), Err(Fault::NotFound { named: Some(_) })));
    let text = folder.path().join("text");
    std::fs::write(&text, "no program").unwrap();
    assert!(matches!(find(&text), Err(Fault::CannotRun { .. })));
}
