//! Which cluster files and flags name.

#![allow(clippy::disallowed_methods, reason = "cluster directories are made here")]

use std::error::Error as Any;
use std::fs;

use landfall_engine_terraform::AtWork;

use super::*;
use landfall_workdir::ClusterDir;

type Outcome = Result<(), Box<dyn Any>>;

const ID: &str = "demo-x7k2p";
const OURS: &str = r#"{"clusterName":"demo","clusterID":"u","infraID":"demo-x7k2p","landfall":{"account":"42"},
    "aws":{"region":"us-east-1","identifier":[]}}"#;
const INSTALLERS: &str = r#"{"clusterName":"demo","clusterID":"u","infraID":"demo-x7k2p","featureSet":"",
    "customFeatureSet":null,"azure":{"region":"eastus","cloudName":"AzurePublicCloud"}}"#;

fn code(named: &Result<Named, Unnamed>) -> Option<&'static str> {
    match named {
        Err(Unnamed::Nowhere(finding) | Unnamed::Invalid(finding) | Unnamed::Usage(finding)) => {
            Some(finding.code.as_str())
        }
        Ok(_) | Err(Unnamed::Failed(_)) => None,
    }
}

fn caller() -> Account {
    Account { id: "42".to_owned(), caller: String::new() }
}

fn given(infra_id: &str) -> GivenTarget {
    GivenTarget { infra_id: infra_id.to_owned(), region: "us-east-1".to_owned(), ..GivenTarget::default() }
}

#[test]
fn an_engine_that_is_not_known_is_refused() -> Outcome {
    for (engine, refused) in [("terraform", None), ("aso", None), ("pulumi", Some("LF0658"))] {
        let root = tempfile::tempdir()?;
        let noted = format!(r#""landfall":{{"engine":"{engine}","#);
        fs::write(root.path().join(METADATA), OURS.replace(r#""landfall":{"#, &noted))?;
        assert_eq!(code(&of_directory(root.path())), refused, "{engine}");
    }
    Ok(())
}

#[test]
fn reads_both_kinds_of_metadata() -> Outcome {
    let root = tempfile::tempdir()?;
    for (text, platform, account) in [(OURS, "aws", Some("42")), (INSTALLERS, "azure", None)] {
        fs::write(root.path().join(METADATA), text)?;
        let named = of_directory(root.path()).ok();
        let read = named.as_ref().map(|named| {
            (
                named.target.infra_id.as_str(),
                named.platform.name(),
                named.target.account.as_deref(),
                named.origin,
            )
        });
        assert_eq!(read, Some((ID, platform, account, Origin::Metadata)));
        let region = named.and_then(|named| text_of(&named.target, "region"));
        assert!(region.is_some_and(|region| region.contains("east")));
    }
    Ok(())
}

fn text_of(target: &Target, key: &str) -> Option<String> {
    text(target.platform.get(key))
}

#[test]
fn what_cannot_be_used_is_refused() -> Outcome {
    let root = tempfile::tempdir()?;
    assert_eq!(code(&of_directory(root.path())), Some("LF1380"));
    for (text, expected) in [
        ("", "LF1381"),
        ("[]", "LF1381"),
        ("{", "LF1381"),
        (r#"{"aws":{}}"#, "LF1381"),
        (r#"{"infraID":"","aws":{}}"#, "LF1381"),
        (r#"{"infraID":"*","aws":{}}"#, "LF1381"),
        (r#"{"infraID":["demo"],"aws":{}}"#, "LF1381"),
        (r#"{"infraID":"demo-x7k2p","aws":[]}"#, "LF1381"),
        (r#"{"infraID":"demo-x7k2p","aws":{},"landfall":{"account":42}}"#, "LF1381"),
        (r#"{"infraID":"demo-x7k2p"}"#, "LF1382"),
        (r#"{"infraID":"demo-x7k2p","gcp":{"projectID":"p"}}"#, "LF1382"),
    ] {
        fs::write(root.path().join(METADATA), text)?;
        assert_eq!(code(&of_directory(root.path())), Some(expected), "{text}");
    }
    Ok(())
}

#[test]
fn a_cluster_that_is_gone_is_known_by_what_was_kept() -> Outcome {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join(METADATA), INSTALLERS)?;
    let kept = of_directory(root.path()).map(|named| named.kept(&caller())).unwrap_or_default();
    ClusterDir::open(root.path())?.clear_destroyed(ID, &kept)?;
    let named = of_directory(root.path()).ok();
    let known = named.as_ref().map(|named| (named.origin, named.target.account.as_deref()));
    assert_eq!(known, Some((Origin::Destroyed, Some("42"))));
    assert_eq!(named.map(|named| named.kept(&caller())), Some(kept), "kept as it is");
    // A run that was killed before metadata.json was removed.
    fs::write(root.path().join(METADATA), INSTALLERS)?;
    let named = of_directory(root.path()).ok().map(|named| (named.origin, named.target.account));
    assert_eq!(named, Some((Origin::Metadata, Some("42".to_owned()))));
    Ok(())
}

#[test]
fn metadata_with_an_account_is_kept_byte_for_byte() -> Outcome {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join(METADATA), OURS)?;
    let kept = of_directory(root.path()).ok().map(|named| named.kept(&caller()));
    assert_eq!(kept.as_deref(), Some(OURS.as_bytes()));
    Ok(())
}

#[test]
fn what_was_decided_of_objects_is_noted_and_nothing_else_changes() -> Outcome {
    let made = r#"{"clusterName":"demo","clusterID":"u","infraID":"demo-x7k2p",
        "landfall":{"account":"42","engine":"aso","namespace":"fleet"},"azure":{"region":"eastus"}}"#;
    let root = tempfile::tempdir()?;
    fs::write(root.path().join(METADATA), made)?;
    let decided = || of_cluster(root.path()).ok().map(|named| named.decided());
    assert_eq!(decided(), Some(Decided::default()));
    // Nothing is decided, so nothing is written.
    note_decided(&mut ClusterDir::open(root.path())?, &Decided::default())?;
    assert_eq!(fs::read_to_string(root.path().join(METADATA))?, made);
    let address = "10.0.0.9".parse().ok();
    for wanted in [Decided { api_internal_ip: address, patched: true }, Decided::default()] {
        note_decided(&mut ClusterDir::open(root.path())?, &wanted)?;
        assert_eq!(decided(), Some(wanted));
    }
    let named = of_cluster(root.path()).map_err(|_| "the cluster")?;
    assert_eq!(named.target.account.as_deref(), Some("42"));
    assert_eq!(named.engine().map(|engine| engine.namespace).as_deref(), Some("fleet"));
    Ok(())
}

#[test]
fn a_move_is_noted_and_nothing_else_changes() -> Outcome {
    let made = r#"{"clusterName":"demo","clusterID":"u","infraID":"demo-x7k2p",
        "landfall":{"account":"42","engine":"aso","namespace":"fleet"},"azure":{"region":"eastus"}}"#;
    let root = tempfile::tempdir()?;
    let home = || of_cluster(root.path()).ok().and_then(|named| named.management_cluster());
    for (text, infra_id, expected) in
        [(INSTALLERS, ID, None), (made, "other-x7k2p", None), (made, ID, Some("uid"))]
    {
        fs::write(root.path().join(METADATA), text)?;
        note_move(root.path(), infra_id, "uid")?;
        assert_eq!(home().as_deref(), expected, "{infra_id}");
    }
    let named = of_cluster(root.path()).map_err(|_| "the cluster")?;
    assert_eq!(named.target.account.as_deref(), Some("42"));
    let engine = named.engine().map(|engine| (engine.name, engine.namespace));
    assert_eq!(engine, Some(("aso".to_owned(), "fleet".to_owned())));
    // Where it is now, the latest move says.
    note_move(root.path(), ID, "later")?;
    assert_eq!(home().as_deref(), Some("later"));
    // What is kept of the cluster when it is gone says so, too.
    ClusterDir::open(root.path())?.clear_destroyed(ID, &named.kept(&caller()))?;
    let gone = of_directory(root.path()).ok().and_then(|named| named.management_cluster());
    assert_eq!(gone.as_deref(), Some("uid"));
    note_move(root.path(), ID, "uid")?;
    assert_eq!(home(), None, "nothing is noted of a cluster that is gone");
    Ok(())
}

#[test]
fn flags_name_a_cluster_and_no_other_ones_directory() -> Outcome {
    let Some(aws) = landfall_install_config::platforms::named("aws") else {
        return Err("no such platform".into());
    };
    let root = tempfile::tempdir()?;
    let of = |id: &str| of_flags(Some(root.path()), aws, &given(id));
    let seen = |named: Result<Named, Unnamed>| named.ok().map(|named| (named.origin, named.target.account));
    assert_eq!(code(&of("*")), Some("LF0653"));
    assert_eq!(seen(of(ID)), Some((Origin::Given, None)));
    assert_eq!(seen(of_flags(None, aws, &given(ID))), Some((Origin::Given, None)));
    fs::write(root.path().join(METADATA), OURS)?;
    assert_eq!(seen(of(ID)), Some((Origin::Metadata, Some("42".to_owned()))));
    assert_eq!(code(&of("other-x7k2p")), Some("LF0655"));
    // What is kept of one cluster does not stand in the way of another.
    ClusterDir::open(root.path())?.clear_destroyed(ID, OURS.as_bytes())?;
    assert_eq!(seen(of("other-x7k2p")), Some((Origin::Given, None)));
    assert_eq!(seen(of(ID)), Some((Origin::Destroyed, Some("42".to_owned()))));
    Ok(())
}

#[test]
fn a_region_tells_its_platform() {
    let catalogue = Catalogue::embedded();
    let found = |given: Option<&str>, region: &str, has_endpoints: bool| {
        let found = platform_of(given, region, has_endpoints, (catalogue, ""));
        found.map(landfall_platform::Platform::name)
    };
    let name = |given: Option<&str>, region: &str| found(given, region, false).ok();
    assert_eq!(name(None, "us-gov-west-1"), Some("aws"));
    assert_eq!(name(None, "westeurope"), Some("azure"));
    assert_eq!(name(None, "moon-1"), None);
    assert_eq!(name(Some("azure"), "moon-1"), Some("azure"));
    // The services of one platform alone have endpoints.
    assert_eq!(found(None, "moon-1", true).ok(), Some("aws"));
    assert_eq!(found(None, "westeurope", true).ok(), Some("azure"));
    // What is near in another partition is not meant.
    let help = |region: &str| match found(None, region, false) {
        Err(Unnamed::Usage(finding)) => finding.help.unwrap_or_default(),
        other => format!("{other:?}"),
    };
    assert!(help("us-gov-wset-1").contains("`us-gov-west-1`"), "{}", help("us-gov-wset-1"));
    assert!(!help("cn-east-1").contains("did you mean"), "{}", help("cn-east-1"));
}

#[test]
fn what_stands_in_the_way_says_how_to_go_on() {
    let work = AtWork { pid: 7, stage: "cluster".to_owned(), work: "apply".to_owned() };
    let findings = [
        pages::which_platform("moon-1", &[], None),
        pages::at_work(&work),
        pages::late(60),
        pages::no_cloud("none"),
        pages::unproven(ID),
        pages::moved(ID),
        pages::same_place(),
        pages::patched(),
    ];
    let codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["LF1383", "LF1384", "LF1385", "LF1382", "LF1387", "LF1548", "LF1549", "LF1561"]);
    assert!(findings.iter().all(|finding| finding.help.is_some()));
    assert!(findings[1].message.contains("process 7"), "{}", findings[1].message);
}

#[test]
fn flags_do_not_contradict_the_file_of_the_same_cluster() -> Outcome {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("metadata.json"), OURS)?;
    let platform = landfall_install_config::platforms::named("aws").ok_or("no platform")?;
    let in_region = |region: &str| GivenTarget { region: region.to_owned(), ..given(ID) };
    let named = of_flags(Some(directory.path()), platform, &in_region("us-east-1"));
    let named = named.map_err(|_| "the same region")?;
    assert_eq!(text_of(&named.target, "region").as_deref(), Some("us-east-1"));
    assert_eq!(named.target.account.as_deref(), Some("42"));
    // Nothing would be found there, and the files of a living cluster would go.
    assert_eq!(code(&of_flags(Some(directory.path()), platform, &in_region("eu-west-1"))), Some("LF1381"));
    let with_domain = GivenTarget { cluster_domain: "demo.example.com".to_owned(), ..in_region("us-east-1") };
    let named = of_flags(Some(directory.path()), platform, &with_domain).map_err(|_| "a domain more")?;
    assert_eq!(text_of(&named.target, "clusterDomain").as_deref(), Some("demo.example.com"));
    Ok(())
}

#[test]
fn a_directory_where_something_stands_is_not_that_of_a_cluster_that_is_gone() -> Outcome {
    let directory = tempfile::tempdir()?;
    let kept = directory.path().join(".landfall/destroyed");
    fs::create_dir_all(&kept)?;
    fs::write(kept.join(format!("{ID}-metadata.json")), OURS)?;
    let gone = of_directory(directory.path()).map_err(|_| "the cluster that is gone")?;
    assert_eq!(gone.origin, Origin::Destroyed);
    let stage = directory.path().join("terraform/cluster");
    fs::create_dir_all(&stage)?;
    fs::write(stage.join("terraform.tfstate"), "{}")?;
    assert_eq!(code(&of_directory(directory.path())), Some("LF1380"));
    Ok(())
}

#[test]
fn a_directory_without_metadata_is_of_no_cluster_and_stays_as_it_is() -> Outcome {
    let directory = tempfile::tempdir()?;
    assert_eq!(code(&of_cluster(directory.path())), Some("LF1380"));
    assert_eq!(code(&of_cluster(&directory.path().join("nowhere"))), Some("LF1380"));
    assert_eq!(fs::read_dir(directory.path())?.count(), 0);
    Ok(())
}

#[test]
fn who_takes_no_flags_is_not_told_of_any() -> Outcome {
    let directory = tempfile::tempdir()?;
    let help = || match of_cluster(directory.path()).map_err(Unnamed::by_directory) {
        Err(Unnamed::Nowhere(finding) | Unnamed::Invalid(finding)) => finding.help.unwrap_or_default(),
        _ => String::new(),
    };
    let nowhere = help();
    assert!(nowhere.contains("--dir") && !nowhere.contains("--infra-id"), "{nowhere}");
    fs::write(directory.path().join("metadata.json"), "{")?;
    let unreadable = help();
    assert!(!unreadable.is_empty() && !unreadable.contains("--"), "{unreadable}");
    Ok(())
}

#[test]
fn a_domain_in_the_metadata_begins_with_the_clusters_name() -> Outcome {
    let root = tempfile::tempdir()?;
    let note = |domain: &str| -> Result<Option<&'static str>, Box<dyn Any>> {
        let text = format!(
            "{{\"clusterName\":\"demo\",\"infraID\":\"{ID}\",\"aws\":{{\"region\":\"us-east-1\",\
             \"clusterDomain\":\"{domain}\"}}}}"
        );
        fs::write(root.path().join(METADATA), text).map_err(|_| "no file")?;
        let named = of_directory(root.path()).map_err(|_| "a cluster")?;
        Ok(named.note.map(|note| note.code.as_str()))
    };
    for domain in ["", "demo.example.com"] {
        assert_eq!(note(domain)?, None, "{domain}");
    }
    for domain in ["example.com", "demo", "two.example.com", "mydemo.example.com"] {
        assert_eq!(note(domain)?, Some("LF1386"), "{domain}");
    }
    Ok(())
}

#[test]
fn a_domain_that_is_not_the_clusters_is_told() -> Outcome {
    let platform = landfall_install_config::platforms::named("aws").ok_or("no platform")?;
    let note = |id: &str, domain: &str| -> Result<Option<&'static str>, Box<dyn Any>> {
        let given = GivenTarget { cluster_domain: domain.to_owned(), ..given(id) };
        let named = of_flags(None, platform, &given).map_err(|_| "a cluster")?;
        Ok(named.note.map(|note| note.code.as_str()))
    };
    for (id, domain) in [
        (ID, ""),
        (ID, "demo.example.com"),
        (ID, "Demo.Example.com."),
        ("my-cluster-x7k2p", "my.cluster.example.com"),
        // Of a long name the id has the beginning alone.
        ("qwertyuiopasdfghjklzx-x7k2p", "qwertyuiopasdfghjklzxcvbnm.example.com"),
    ] {
        assert_eq!(note(id, domain)?, None, "{id} {domain}");
    }
    for domain in ["two.example.com", "demo", "mydemo.example.com", "example.com", "demo-x7k2p.example.com"] {
        assert_eq!(note(ID, domain)?, Some("LF1386"), "{domain}");
    }
    // Whoever fixed the id knows better.
    assert_eq!(note("fixed", "demo.example.com")?, Some("LF1386"));
    Ok(())
}

#[test]
fn endpoints_come_from_the_running_cluster() -> Outcome {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join(METADATA), OURS)?;
    let cluster = |id: &str, of_status: Value| {
        json!({
            "spec": { "platformSpec": { "aws": { "serviceEndpoints": [{ "name": "ec2", "url": "https://old.example.com" }] } } },
            "status": { "infrastructureName": id, "platformStatus": { "aws": of_status } },
        })
    };
    let listed = |name: &str, url: &str| json!({ "serviceEndpoints": [{ "name": name, "url": url }] });
    let other = refresh(root.path(), &cluster("other-x7k2p", listed("ec2", "https://ec2.example.com")));
    assert!(matches!(other, Err(Unnamed::Invalid(finding)) if finding.code.as_str() == "LF1389"));
    assert_eq!(fs::read_to_string(root.path().join(METADATA))?, OURS);

    let now = cluster(ID, listed("ec2", "https://ec2.example.com"));
    for changed in [true, false] {
        let refreshed = refresh(root.path(), &now).ok();
        let endpoints = vec![("ec2".to_owned(), "https://ec2.example.com".to_owned())];
        assert_eq!(refreshed, Some(Refreshed { endpoints, changed }));
    }
    let named = of_directory(root.path()).ok();
    let of_file = named.as_ref().and_then(|named| named.target.platform.get(ENDPOINTS).cloned());
    assert_eq!(of_file, Some(json!([{ "name": "ec2", "url": "https://ec2.example.com" }])));
    assert_eq!(named.and_then(|named| named.target.account).as_deref(), Some("42"));
    // Without a word in the status, the spec counts; a cluster without endpoints of its own has none.
    let of_spec = refresh(root.path(), &cluster(ID, json!({}))).ok();
    assert_eq!(
        of_spec.map(|refreshed| refreshed.endpoints[0].1.clone()).as_deref(),
        Some("https://old.example.com")
    );
    let none = refresh(root.path(), &json!({ "status": { "infrastructureName": ID } })).ok();
    assert_eq!(none, Some(Refreshed { endpoints: Vec::new(), changed: true }));
    let named = of_directory(root.path()).ok();
    assert!(named.is_some_and(|named| !named.target.platform.contains_key(ENDPOINTS)));
    Ok(())
}

#[test]
fn endpoints_of_flags_are_newer_than_those_of_the_file() -> Outcome {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join(METADATA), OURS)?;
    let endpoint = ("sts".to_owned(), "https://sts.example.com".to_owned());
    let flags = GivenTarget { endpoints: vec![endpoint], ..given(ID) };
    let aws = platforms::named("aws").ok_or("no aws")?;
    let named = of_flags(Some(root.path()), aws, &flags).ok();
    let endpoints = named.and_then(|named| named.target.platform.get(ENDPOINTS).cloned());
    assert_eq!(endpoints, Some(json!([{ "name": "sts", "url": "https://sts.example.com" }])));
    let azure = platforms::named("azure").ok_or("no azure")?;
    assert_eq!(code(&of_flags(None, azure, &flags)), Some("LF1388"));
    let twice = GivenTarget { endpoints: [flags.endpoints.clone(), flags.endpoints].concat(), ..given(ID) };
    assert_eq!(code(&of_flags(None, aws, &twice)), Some("LF1390"));
    Ok(())
}

#[test]
fn an_endpoint_that_cannot_be_called_does_not_come_into_the_metadata() -> Outcome {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join(METADATA), OURS)?;
    let refused = |endpoints: Value| {
        let status = json!({ "infrastructureName": ID, "platformStatus": { "aws": { "serviceEndpoints": endpoints } } });
        match refresh(root.path(), &json!({ "status": status })) {
            Err(Unnamed::Invalid(finding)) => (finding.code.as_str(), finding.field),
            other => ("", format!("{other:?}")),
        }
    };
    let endpoint = |name: &str, url: &str| json!({ "name": name, "url": url });
    let fine = endpoint("ec2", "https://ec2.example.com");
    let place = |end: &str| format!("status.platformStatus.aws.serviceEndpoints{end}");
    let port = endpoint("s3", "https://s3.example.com:70000");
    assert_eq!(refused(json!([fine, port])), ("LF1391", place("[1].url")));
    assert_eq!(refused(json!([endpoint("s3", "http://s3.example.com")])), ("LF1391", place("[0].url")));
    assert_eq!(refused(json!([endpoint("", "https://s3.example.com")])), ("LF1391", place("[0].name")));
    assert_eq!(refused(json!([fine, fine])), ("LF1391", place("[1].name")));
    assert_eq!(fs::read_to_string(root.path().join(METADATA))?, OURS);
    Ok(())
}

#[test]
fn the_trust_bundle_is_that_of_the_metadata_or_of_the_config_beside_it() -> Outcome {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join(METADATA), OURS)?;
    let bundle = || of_directory(root.path()).ok().map(|named| named.trust_bundle(root.path()));
    assert_eq!(bundle().as_deref(), Some(""));
    let config = "apiVersion: v1\nplatform:\n  none: {}\nadditionalTrustBundle: of the config\n";
    fs::write(root.path().join(INSTALL_CONFIG), config)?;
    assert_eq!(bundle().as_deref(), Some("of the config"));
    let own =
        OURS.replace(r#""account":"42""#, r#""account":"42","additionalTrustBundle":"of the metadata""#);
    fs::write(root.path().join(METADATA), own)?;
    assert_eq!(bundle().as_deref(), Some("of the metadata"));
    Ok(())
}
