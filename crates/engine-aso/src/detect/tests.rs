use landfall_model::catalogue::value::Part as _;

use super::super::kinds::KINDS;
use super::*;

/// A cluster with one good operator that serves all kinds.
fn good() -> Cluster {
    let labels =
        [("app.kubernetes.io/name", "azure-service-operator"), ("app.kubernetes.io/version", "v2.19.0")];
    let labels: BTreeMap<String, String> =
        labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let crd = |kind: &Kind| Crd {
        name: crd_name(kind),
        labels: labels.clone(),
        served: vec![kind.versions[0].to_owned()],
        stored: Vec::new(),
    };
    let mut cluster = Cluster { crds: KINDS.iter().map(crd).collect(), ..Cluster::default() };
    add(&mut cluster, "one", Settings::default());
    cluster
}

/// Adds an operator that runs in a namespace, with these settings.
fn add(cluster: &mut Cluster, namespace: &str, settings: Settings) {
    cluster.deployments.push(Deployment {
        namespace: namespace.to_owned(),
        name: DEPLOYMENT.to_owned(),
        labels: BTreeMap::new(),
        image: "azureserviceoperator:v2.19.0".to_owned(),
        available: 1,
    });
    cluster.settings.insert(namespace.to_owned(), Reading::Read(settings));
}

fn of(cluster: &Cluster, cloud: &str) -> Report {
    let kinds = permissions::kinds(true);
    detect(cluster, &Wanted { cloud, namespace: "demo", kinds: &kinds }, &Catalogue::shipped())
}

/// The verdict with the code of the first finding, empty where there is none.
fn first(report: &Report) -> (&'static str, &'static str) {
    (report.verdict.name(), report.findings.first().map(|finding| finding.code.as_str()).unwrap_or_default())
}

/// Whether the first finding names all of these.
fn names(report: &Report, values: &[&str]) -> bool {
    let first = report.findings.first();
    first.is_some_and(|finding| values.iter().all(|value| finding.message.contains(value)))
}

fn watching(namespaces: &[&str]) -> Settings {
    Settings {
        target_namespaces: namespaces.iter().map(|&name| name.to_owned()).collect(),
        ..Settings::default()
    }
}

#[test]
fn a_good_operator_can_be_used() {
    let report = of(&good(), "");
    assert_eq!(first(&report), ("ok", ""));
    assert_eq!(report.operator_namespace.as_deref(), Some("one"));
    assert_eq!(report.version, Some(Version::new(2, 19, 0)));
    assert_eq!(report.installer, Some(Installer::Other));
    assert_eq!(report.versions.len(), KINDS.len());
}

#[test]
fn a_closed_cloud_a_stack_hub_and_an_unknown_cloud_are_refused() {
    for cloud in ["AzureGermanCloud", "AzureStackCloud", "AzureSunCloud"] {
        for cluster in [good(), Cluster::default()] {
            let report = of(&cluster, cloud);
            assert_eq!(first(&report), ("incompatible", "LF1520"));
            assert!(names(&report, &[cloud]), "{report:?}");
            let field = report.findings.first().map(|finding| finding.field.as_str());
            assert_eq!(field, Some("platform.azure.cloudName"));
        }
    }
}

#[test]
fn a_known_cloud_that_is_not_served_is_told_without_an_operator() {
    let clouds = &Catalogue::shipped();
    let told = |name: &str| unserved(name, clouds).map(|finding| finding.code.as_str());
    for name in ["AzureGermanCloud", "AzureStackCloud"] {
        assert_eq!(told(name), Some("LF1520"), "{name}");
    }
    // Planning refuses a cloud that nothing is known of.
    for name in ["", "AzureUSGovernmentCloud", "AzureSunCloud"] {
        assert_eq!(told(name), None, "{name}");
    }
    let help = unserved("AzureStackCloud", clouds).and_then(|finding| finding.help).unwrap_or_default();
    assert!(!help.contains("terraform"), "{help}");
}

#[test]
fn an_operator_is_absent_without_crds_and_deployment() {
    assert_eq!(first(&of(&Cluster::default(), "")), ("absent", "LF1521"));
    let mut others = good();
    others.crds.iter_mut().for_each(|crd| crd.labels.clear());
    others.deployments.iter_mut().for_each(|deployment| deployment.name.push('2'));
    assert_eq!(first(&of(&others, "")), ("absent", "LF1521"));
    let deployment_only = Cluster { crds: Vec::new(), ..good() };
    let report = of(&deployment_only, "");
    assert_eq!((report.verdict, report.missing.len()), (Verdict::Incompatible, KINDS.len()));
}

#[test]
fn a_version_is_new_enough_and_of_the_major_version() {
    let of_image = |image: &str| {
        let mut cluster = good();
        cluster.deployments.iter_mut().for_each(|operator| operator.image = format!("operator{image}"));
        of(&cluster, "")
    };
    for old in ["2.12.9", "1.30.0", "2.12.9-amd64"] {
        let report = of_image(&format!(":v{old}"));
        assert_eq!(first(&report), ("incompatible", "LF1523"));
        assert!(names(&report, &[old, "2.13.0"]), "{report:?}");
    }
    let major = of_image(":v3.0.0");
    assert_eq!(first(&major), ("incompatible", "LF1523"));
    assert!(names(&major, &["3.0.0"]), "{major:?}");
    assert_eq!(first(&of_image(":v2.13.0")), ("ok", ""));
    assert_eq!(first(&of_image(":v2.21.4")), ("ok", ""));
    let newer = of_image(":v2.22.0");
    assert_eq!(first(&newer), ("ok", "LF1530"));
    assert!(names(&newer, &["2.22.0", "2.21"]), "{newer:?}");
    assert_eq!(of_image("@sha256:00").version, Some(Version::new(2, 19, 0)));
    // What follows the numbers makes no version older.
    assert_eq!(first(&of_image(":v2.13.0-amd64")), ("ok", ""));
    assert_eq!(first(&of_image(":v2.21.0-rc.1")), ("ok", ""));
    assert_eq!(of_image(":v2.22.0-rc.1").warnings().count(), 1);
}

#[test]
fn a_version_that_nobody_says_is_a_warning() {
    let mut cluster = good();
    cluster.deployments.iter_mut().for_each(|operator| operator.image.clear());
    for crd in &mut cluster.crds {
        crd.labels.remove("app.kubernetes.io/version");
    }
    let report = of(&cluster, "");
    assert_eq!(first(&report), ("ok", "LF1530"));
    assert_eq!((report.version.as_ref(), report.warnings().count()), (None, 1));
    if let Some(crd) = cluster.crds.first_mut() {
        crd.labels.insert("serviceoperator.azure.com/version".to_owned(), "v2.10.0".to_owned());
    }
    let report = of(&cluster, "");
    assert_eq!(first(&report), ("incompatible", "LF1523"));
    assert!(names(&report, &["2.10.0"]), "{report:?}");
}

#[test]
fn kinds_are_served_in_either_spelling() {
    let mut cluster = good();
    for (crd, kind) in cluster.crds.iter_mut().zip(KINDS) {
        crd.served = vec![kind.versions[1].to_owned()];
    }
    let report = of(&cluster, "");
    assert_eq!(report.verdict, Verdict::Usable);
    assert_eq!(report.versions.get("disks.compute.azure.com"), Some(&"v20240302"));
    if let Some(crd) = cluster.crds.first_mut() {
        crd.served = vec!["v1api20200601storage".to_owned()];
    }
    let report = of(&cluster, "");
    assert_eq!(first(&report), ("incompatible", "LF1524"));
    assert!(
        names(&report, &["resourcegroups.resources.azure.com", "v1api20200601", " v20200601"]),
        "{report:?}"
    );
}

#[test]
fn exactly_one_operator_watches_the_namespace() {
    let mut cluster = good();
    add(&mut cluster, "two", watching(&["team", "demo"]));
    let report = of(&cluster, "");
    assert_eq!(first(&report), ("conflict", "LF1525"));
    assert!(names(&report, &["namespace demo", "one, two"]), "{report:?}");
    cluster.settings.insert("one".to_owned(), Reading::Read(watching(&["team"])));
    let report = of(&cluster, "");
    assert_eq!((report.verdict, report.operator_namespace.as_deref()), (Verdict::Usable, Some("two")));
    let webhooks = Settings { only_webhooks: true, ..Settings::default() };
    cluster.settings.insert("two".to_owned(), Reading::Read(webhooks));
    let report = of(&cluster, "");
    assert_eq!(first(&report), ("conflict", "LF1525"));
    assert_eq!(
        report.findings.first().map(|finding| finding.kind),
        Some(landfall_diagnostics::Kind::Required)
    );
}

#[test]
fn an_operator_that_does_not_run_comes_before_its_version() {
    let mut cluster = good();
    for operator in &mut cluster.deployments {
        operator.available = 0;
        operator.image = "operator:v2.1.0".to_owned();
    }
    let report = of(&cluster, "");
    assert_eq!(first(&report), ("unhealthy", "LF1522"));
    assert!(names(&report, &["one/azureserviceoperator-controller-manager"]), "{report:?}");
    assert_eq!(
        report.findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(),
        ["LF1522", "LF1523"]
    );
    cluster.deployments.clear();
    let report = of(&cluster, "");
    assert_eq!(first(&report), ("unhealthy", "LF1522"));
    assert_eq!(
        report.findings.first().map(|finding| finding.kind),
        Some(landfall_diagnostics::Kind::Required)
    );
}

#[test]
fn the_cloud_is_that_of_the_settings() {
    let with = |endpoints: [&str; 3], cloud: &str| {
        let mut cluster = good();
        let settings = Settings { endpoints: endpoints.map(str::to_owned), ..Settings::default() };
        cluster.settings.insert("one".to_owned(), Reading::Read(settings));
        of(&cluster, cloud)
    };
    let china = [
        "https://login.chinacloudapi.cn",
        "https://management.chinacloudapi.cn/",
        "https://management.core.chinacloudapi.cn/",
    ];
    let public = [
        "https://login.microsoftonline.com/",
        "https://management.azure.com",
        "https://management.core.windows.net/",
    ];
    assert_eq!(with(china, "AzureChinaCloud").verdict, Verdict::Usable);
    assert_eq!(with(public, "AzurePublicCloud").verdict, Verdict::Usable);
    let report = with(china, "");
    assert_eq!(first(&report), ("conflict", "LF1526"));
    assert!(names(&report, &["AzureChinaCloud", "AzurePublicCloud"]), "{report:?}");
    let [authority, endpoint, _] = china;
    let report = with([authority, endpoint, ""], "AzureChinaCloud");
    assert_eq!(first(&report), ("conflict", "LF1526"));
    assert!(names(&report, &["(AZURE_RESOURCE_MANAGER_AUDIENCE)"]), "{report:?}");
}

#[test]
fn one_setting_that_is_missing_is_told_with_its_value() {
    let mut cluster = good();
    let endpoints = ["https://login.chinacloudapi.cn", "https://management.chinacloudapi.cn/", ""];
    let settings = Settings { endpoints: endpoints.map(str::to_owned), ..Settings::default() };
    cluster.settings.insert("one".to_owned(), Reading::Read(settings));
    let mut report = of(&cluster, "AzureChinaCloud");
    let help = report.findings.first().and_then(|finding| finding.help.clone()).unwrap_or_default();
    let right = "AZURE_RESOURCE_MANAGER_AUDIENCE=https://management.core.chinacloudapi.cn/";
    assert!(help.contains(right), "{help}");
    // Who only looks has no install config.
    pages::without_config(&mut report.findings);
    assert!(names(&report, &["AzureChinaCloud"]) && !names(&report, &["install-config"]), "{report:?}");
    let help = of(&cluster, "AzureUSGovernmentCloud").findings.remove(0).help.unwrap_or_default();
    assert!(!help.contains("AZURE_"), "{help}");
}

#[test]
fn settings_that_cannot_be_read_are_a_warning() {
    let mut cluster = good();
    cluster.settings.insert("one".to_owned(), Reading::Refused);
    let report = of(&cluster, "AzureUSGovernmentCloud");
    assert_eq!(first(&report), ("ok", "LF1531"));
    assert_eq!(report.findings.len(), 1);
    cluster.settings.clear();
    let report = of(&cluster, "AzureUSGovernmentCloud");
    assert_eq!(first(&report), ("ok", "LF1531"));
    assert_eq!(report.findings.len(), 1);
}

#[test]
fn who_installed_it_is_known() {
    let mut cluster = good();
    for operator in &mut cluster.deployments {
        operator.labels.insert("app.kubernetes.io/managed-by".to_owned(), "landfall".to_owned());
    }
    assert_eq!(of(&cluster, "").installer, Some(Installer::Landfall));
    let mut cluster = good();
    if let Some(crd) = cluster.crds.first_mut() {
        crd.labels.insert("cluster.x-k8s.io/provider".to_owned(), "infrastructure-azure".to_owned());
    }
    assert_eq!(of(&cluster, "").installer, Some(Installer::ClusterApi));
    cluster.deployments.clear();
    assert_eq!(of(&cluster, "").installer, Some(Installer::ClusterApi));
}

#[test]
fn without_a_cluster_any_operator_will_do() {
    let wanted = |cluster: &Cluster| {
        let kinds = permissions::required(false);
        detect(cluster, &Wanted { cloud: "", namespace: "", kinds: &kinds }, &Catalogue::shipped()).verdict
    };
    let mut cluster = good();
    cluster.settings.insert("one".to_owned(), Reading::Read(watching(&["elsewhere"])));
    assert_eq!(of(&cluster, "").verdict, Verdict::Conflict);
    assert_eq!(wanted(&cluster), Verdict::Usable);
    let government = "https://login.microsoftonline.us/".to_owned();
    let endpoints = [government, String::new(), String::new()];
    let other = Settings { endpoints, ..Settings::default() };
    cluster.settings.insert("one".to_owned(), Reading::Read(other));
    assert_eq!(wanted(&cluster), Verdict::Conflict);
    // Another one is for another cloud: each has its own clusters.
    add(&mut cluster, "two", watching(&["demo"]));
    assert_eq!(wanted(&cluster), Verdict::Usable);
}
