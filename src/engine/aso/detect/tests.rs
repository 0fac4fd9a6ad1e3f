use super::super::kinds::KINDS;
use super::*;
use crate::catalogue::value::Part as _;

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

fn first(report: &Report) -> (&'static str, &str) {
    let first = report.findings.first();
    (report.verdict.name(), first.map(|finding| finding.message.as_str()).unwrap_or_default())
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
        let message = format!("cloud {cloud} is not supported by the aso engine");
        assert_eq!(first(&of(&good(), cloud)), ("incompatible", message.as_str()));
        assert_eq!(first(&of(&Cluster::default(), cloud)), ("incompatible", message.as_str()));
    }
}

#[test]
fn an_operator_is_absent_without_crds_and_deployment() {
    assert_eq!(of(&Cluster::default(), "").verdict, Verdict::Absent);
    let mut others = good();
    others.crds.iter_mut().for_each(|crd| crd.labels.clear());
    others.deployments.iter_mut().for_each(|deployment| deployment.name.push('2'));
    assert_eq!(of(&others, "").verdict, Verdict::Absent);
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
    assert_eq!(first(&of_image(":v2.12.9")), ("incompatible", "version 2.12.9 is older than 2.13.0"));
    assert_eq!(first(&of_image(":v1.30.0")), ("incompatible", "version 1.30.0 is older than 2.13.0"));
    assert_eq!(of_image(":v3.0.0").verdict, Verdict::Incompatible);
    assert_eq!(first(&of_image(":v2.13.0")), ("ok", ""));
    assert_eq!(first(&of_image(":v2.21.4")), ("ok", ""));
    assert_eq!(first(&of_image(":v2.22.0")), ("ok", "version 2.22.0 is newer than the last tested 2.21"));
    assert_eq!(of_image("@sha256:00").version, Some(Version::new(2, 19, 0)));
    // What follows the numbers makes no version older.
    assert_eq!(first(&of_image(":v2.13.0-amd64")), ("ok", ""));
    assert_eq!(first(&of_image(":v2.21.0-rc.1")), ("ok", ""));
    let message = "version 2.12.9-amd64 is older than 2.13.0";
    assert_eq!(first(&of_image(":v2.12.9-amd64")), ("incompatible", message));
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
    assert_eq!(
        (report.verdict, report.version.as_ref(), report.warnings().count()),
        (Verdict::Usable, None, 1)
    );
    if let Some(crd) = cluster.crds.first_mut() {
        crd.labels.insert("serviceoperator.azure.com/version".to_owned(), "v2.10.0".to_owned());
    }
    assert_eq!(first(&of(&cluster, "")), ("incompatible", "version 2.10.0 is older than 2.13.0"));
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
    let message = "resourcegroups.resources.azure.com does not serve v1api20200601 or v20200601";
    assert_eq!(first(&of(&cluster, "")), ("incompatible", message));
}

#[test]
fn exactly_one_operator_watches_the_namespace() {
    let mut cluster = good();
    add(&mut cluster, "two", watching(&["team", "demo"]));
    assert_eq!(first(&of(&cluster, "")), ("conflict", "two operators watch namespace demo: one, two"));
    cluster.settings.insert("one".to_owned(), Reading::Read(watching(&["team"])));
    let report = of(&cluster, "");
    assert_eq!((report.verdict, report.operator_namespace.as_deref()), (Verdict::Usable, Some("two")));
    let webhooks = Settings { only_webhooks: true, ..Settings::default() };
    cluster.settings.insert("two".to_owned(), Reading::Read(webhooks));
    assert_eq!(first(&of(&cluster, "")), ("conflict", "no operator watches namespace demo"));
}

#[test]
fn an_operator_that_does_not_run_comes_before_its_version() {
    let mut cluster = good();
    for operator in &mut cluster.deployments {
        operator.available = 0;
        operator.image = "operator:v2.1.0".to_owned();
    }
    let report = of(&cluster, "");
    let message = "operator has no available replica: Deployment one/azureserviceoperator-controller-manager";
    assert_eq!(first(&report), ("unhealthy", message));
    assert_eq!(report.findings.len(), 2);
    cluster.deployments.clear();
    assert_eq!(first(&of(&cluster, "")), ("unhealthy", "CRDs are present but no operator runs"));
}

#[test]
fn the_cloud_is_that_of_the_settings() {
    let with = |endpoints: [&str; 3], cloud: &str| {
        let mut cluster = good();
        let settings = Settings { endpoints: endpoints.map(str::to_owned), ..Settings::default() };
        cluster.settings.insert("one".to_owned(), Reading::Read(settings));
        let report = of(&cluster, cloud);
        (report.verdict, report.findings.first().map(|finding| finding.message.clone()).unwrap_or_default())
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
    assert_eq!(with(china, "AzureChinaCloud").0, Verdict::Usable);
    assert_eq!(with(public, "AzurePublicCloud").0, Verdict::Usable);
    let (verdict, message) = with(china, "");
    assert_eq!(verdict, Verdict::Conflict);
    assert_eq!(message, "operator is set up for AzureChinaCloud, install-config asks for AzurePublicCloud");
    let [authority, endpoint, _] = china;
    let (verdict, message) = with([authority, endpoint, ""], "AzureChinaCloud");
    assert_eq!(verdict, Verdict::Conflict);
    assert!(message.contains("other settings (AZURE_RESOURCE_MANAGER_AUDIENCE)"), "{message}");
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
    let message = first(&report).1;
    assert!(message.ends_with("and is to serve AzureChinaCloud"), "{message}");
    let help = of(&cluster, "AzureUSGovernmentCloud").findings.remove(0).help.unwrap_or_default();
    assert!(!help.contains("AZURE_"), "{help}");
}

#[test]
fn settings_that_cannot_be_read_are_a_warning() {
    let mut cluster = good();
    cluster.settings.insert("one".to_owned(), Reading::Refused);
    let report = of(&cluster, "AzureUSGovernmentCloud");
    assert_eq!((report.verdict, report.warnings().count()), (Verdict::Usable, 1));
    cluster.settings.clear();
    let report = of(&cluster, "AzureUSGovernmentCloud");
    assert_eq!((report.verdict, report.warnings().count()), (Verdict::Usable, 1));
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
        let kinds = permissions::planned(false);
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
