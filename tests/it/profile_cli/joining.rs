//! What is joined although a cluster would refuse it, and what is refused of a profile to install within.

use super::*;
use crate::profiles::cases::cases;

/// What a cluster refuses is for `check` to judge; the others join all that they can read, and warn.
#[test]
fn what_a_cluster_would_refuse_is_joined_with_a_warning() {
    let folder = folder();
    let version = "    - version: 1.28.6\n      expirationDate: '2026-06-01T00:00:00Z'\n";
    for (right, wrong, code) in [
        ("    memory: 16Gi\n    usable", "    memory: 32Foo\n    usable", "LF1452"),
        ("  machineTypes:", "  machinetypes:", "LF1452"),
        ("    - name: europe-special-a", "    - name: europe-special-a\n      foo: bar", "LF1452"),
        ("    cpu: '8'", "    cpu: 0.5", "LF1451"),
        (version, "    - version: 1.28.6\n", "LF1453"),
        (version, "    - version: 1.28.7\n    - version: 1.28.6\n", "LF1454"),
    ] {
        assert!(PRIVATE.contains(right), "{right}");
        write(folder.path(), "private.yaml", &PRIVATE.replace(right, wrong));
        let judged = profile(folder.path(), "check", &["-o", "json", "--now", EARLY]);
        assert_eq!(judged.status.code(), Some(3), "{wrong}");
        for verb in ["render", "diff"] {
            let output = profile(folder.path(), verb, &["-o", "json", "--now", EARLY]);
            assert_eq!(output.status.code(), Some(0), "{verb} {wrong}: {}", err(&output));
            assert!(json_of(&output).is_object() || json_of(&output).is_array(), "{verb} {wrong}");
            let warned = err(&output);
            assert!(warned.contains(&format!("warning[{code}]")), "{verb} {wrong}: {warned}");
            assert!(!warned.contains("error[") && !warned.contains("accepted"), "{verb} {wrong}: {warned}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_not_joined() {
    let folder = folder();
    for (text, code) in [
        (PRIVATE.replace("    - version: 1.28.6", "    - version: 1.28"), "LF1451"),
        (PRIVATE.replace("  parent: base", "  parent: [base"), "LF0005"),
        (PRIVATE.split("spec:").next().unwrap().to_owned(), "LF1451"),
        (PRIVATE.replace("  parent: base", "  parent: other"), "LF1453"),
    ] {
        write(folder.path(), "private.yaml", &text);
        for verb in ["check", "diff"] {
            let output = profile(folder.path(), verb, &["-o", "json", "--now", EARLY]);
            assert_eq!(output.status.code(), Some(3), "{verb} {code}");
            let found = codes(&output);
            assert!(found.iter().any(|found| found == code), "{verb} {code}: {found:?}");
        }
        // Whoever keeps what is printed keeps a profile, or nothing.
        for form in ["text", "json", "yaml"] {
            let output = profile(folder.path(), "render", &["-o", form, "--now", EARLY]);
            assert_eq!((output.status.code(), out(&output).as_str()), (Some(3), ""), "{form} {code}");
            assert!(err(&output).contains(&format!("error[{code}]")), "{form} {code}: {}", err(&output));
        }
    }
}

/// What nobody reads of the parent is missing from what is joined, and what cannot be is passed on: this is said.
#[test]
fn what_of_the_parent_does_not_count_is_reported() {
    let folder = folder();
    for wrong in ["    useable: false", "    memory: 16Foo"] {
        write(folder.path(), "parent.yaml", &PARENT.replace("    memory: 16Gi", wrong));
        for verb in ["check", "render", "diff"] {
            let output = profile(folder.path(), verb, &["--now", EARLY]);
            assert_eq!(output.status.code(), Some(0), "{verb}: {}", err(&output));
            let warned = err(&output);
            let is_told = warned.contains("warning[LF1452]") && warned.contains("parent.yaml:13:");
            assert!(is_told, "{verb}: {warned}");
        }
    }
}

/// All profiles that are joined in the cases, through the command: none is refused that a cluster renders.
#[test]
fn renders_what_the_controller_renders() {
    let folder = folder();
    let mut rendered = 0;
    for case in cases(&["render"]) {
        if case.parent.is_null() {
            continue;
        }
        write(folder.path(), "parent.yaml", &case.parent.to_string());
        write(folder.path(), "private.yaml", &case.profile.to_string());
        let output = profile(folder.path(), "render", &["-o", "json", "--now", &case.now]);
        assert_eq!(output.status.code(), Some(0), "{}: {}{}", case.id, out(&output), err(&output));
        rendered += 1;
    }
    assert!(rendered > 0);
}

#[test]
fn a_restriction_that_is_misspelt_or_appears_twice_is_refused() {
    let folder = installation();
    let twice = "  - name: us-east-1\n    zones:\n    - name: us-east-1c\n";
    for (text, field) in [
        (PARENT.replace("    memory:", "    useable: false\n    memory:"), "spec.machineTypes[0].useable"),
        (
            PARENT
                .replace("    - name: us-east-1b", "    - name: us-east-1b\n      unavailable: [m5.xlarge]"),
            "spec.regions[0].zones[1].unavailable",
        ),
        (format!("{PARENT}{twice}"), "spec.regions[1].name"),
        (format!("{PARENT}  - name: ''\n"), "spec.regions[1].name"),
        (
            PARENT.replace(
                "  - name: m5.xlarge\n",
                "  - name: m5.xlarge\n    usable: false\n  - name: m5.xlarge\n",
            ),
            "spec.machineTypes[1].name",
        ),
    ] {
        write(folder.path(), "base.yaml", &text);
        write(folder.path(), "config.yaml", CONFIG);
        let arguments = ["validate", "config.yaml", "-o", "json", "--cloud-profile", "base.yaml"];
        let output = landfall(folder.path(), &arguments);
        assert_eq!((output.status.code(), codes(&output)), (Some(3), vec!["LF1452".to_owned()]), "{field}");
        assert_eq!(json_of(&output)["findings"][0]["field"], field);
    }
}

#[test]
fn a_profile_that_was_changed_since_it_was_joined_is_reported() {
    let folder = installation();
    let joined = fs::read_to_string(folder.path().join("team.json")).unwrap();
    let mut joined: Value = serde_json::from_str(&joined).unwrap();
    joined["metadata"]["generation"] = json!(7);
    joined["status"]["cloudProfile"]["spec"]["foo"] = json!("bar");
    write(folder.path(), "team.json", &joined.to_string());
    write(folder.path(), "config.yaml", CONFIG);
    for arguments in [&["validate", "config.yaml"][..], &["regions"][..]] {
        let output = landfall(folder.path(), &[arguments, &["--cloud-profile", "team.json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let warned = err(&output);
        assert!(warned.contains("warning[LF1455]") && warned.contains("warning[LF1452]"), "{warned}");
        assert!(warned.contains("generation is 7"), "{warned}");
    }
}
