//! The examples, compared with what landfall makes of their input.

use super::*;

#[test]
fn every_file_of_the_examples_comes_out_equal() {
    for set in &SETS {
        compare(set);
    }
}

fn compare(set: &Set) {
    let deviations = set.deviations();
    assert!(deviations.iter().all(|deviation| deviation.reason.len() > 20));
    let mut used = vec![false; deviations.len()];
    let mut wrong = Vec::new();
    for folder in set.examples() {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let made: BTreeMap<String, Vec<u8>> =
            made_for(set.release, &folder).1.into_iter().map(|f| (f.path, f.bytes)).collect();
        for (path, text) in wanted(&folder) {
            let here: Vec<usize> = (0..deviations.len())
                .filter(|i| landfall::graph::stands_for(&deviations[*i].file, &path))
                .collect();
            if let Some(whole) = here.iter().find(|i| deviations[**i].at.is_empty()) {
                used[*whole] = true;
                continue;
            }
            let Some(bytes) = made.get(&own_path(&path)) else {
                wrong.push(format!("{name}/{path}: not made"));
                continue;
            };
            let found = std::str::from_utf8(bytes).unwrap();
            let read = |text: &str| {
                unfolded(
                    serde_yaml::from_str::<Value>(text).unwrap_or_else(|e| panic!("{path}: {e}\n{text}")),
                )
            };
            let (mut wanted, mut found) = (read(&text), read(found));
            for (i, deviation) in here.iter().map(|i| (*i, &deviations[*i])).filter(|(_, d)| d.unordered) {
                for at in &deviation.at {
                    used[i] |= sorted(&mut wanted, at) | sorted(&mut found, at);
                }
            }
            let mut list = Vec::new();
            differences("", &wanted, &found, &mut list);
            for (at, what) in list {
                let known = here
                    .iter()
                    .filter(|i| !deviations[**i].unordered)
                    .find(|i| deviations[**i].at.iter().any(|pattern| fits(pattern, &at)));
                match known {
                    Some(i) => used[*i] = true,
                    None => wrong.push(format!("{name}/{path}: {at}: {what}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {} differences:\n{}", set.release, wrong.len(), wrong.join("\n"));
    if std::env::var_os(set.variable).is_none() {
        let unused: Vec<&str> = deviations
            .iter()
            .zip(used)
            .filter(|(d, used)| !used && !d.unseen)
            .map(|(d, _)| d.reason.as_str())
            .collect();
        assert!(unused.is_empty(), "these deviations are none: {unused:?}");
    }
}

/// The OpenShift installer's own destroy reads these files, so they are the same to the byte: names,
/// order and shape.
#[test]
fn metadata_is_equal_to_the_byte() {
    for folder in examples() {
        let made = made(&folder).1;
        let found = made.iter().find(|file| file.path == "metadata.json").map(|file| file.bytes.clone());
        let wanted = std::fs::read(folder.join("metadata.json")).unwrap();
        assert_eq!(String::from_utf8(found.unwrap()), String::from_utf8(wanted), "{}", folder.display());
    }
}

#[test]
fn whole_clusters_have_no_other_manifests() {
    let mut wrong = Vec::new();
    let variants = |path: &PathBuf| path.parent().unwrap().ends_with("variants");
    let all = SETS.iter().flat_map(|set| set.examples().into_iter().map(|folder| (set.release, folder)));
    for (release, folder) in all.filter(|(_, folder)| !variants(folder)) {
        let wanted = wanted(&folder);
        for file in made_for(release, &folder).1 {
            // The installer's own name and version are left out of the examples of 4.19.
            if release == "4.19" && file.path == "openshift/openshift-install-manifests.yaml" {
                continue;
            }
            let manifest = file.path.starts_with("manifests/") || file.path.starts_with("openshift/");
            if manifest && !wanted.contains_key(&file.path) {
                wrong.push(format!("{}: {}", folder.display(), file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Local zones differ in what they offer, and each gets a machine unless the pool says otherwise.
#[test]
fn an_edge_pool_is_planned_zone_by_zone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/plans/aws-new-edge");
    let files = made(&folder).1;
    let sets: Vec<Value> = files
        .iter()
        .filter(|file| file.path.contains("-machineset-"))
        .map(|file| serde_yaml::from_slice(&file.bytes).unwrap())
        .filter(|set: &Value| text_at(set, "/metadata/name").contains("-edge-"))
        .collect();
    let of = |set: &Value| {
        let spec = &set["spec"]["template"]["spec"];
        let kind = text_at(spec, "/providerSpec/value/instanceType");
        (
            text_at(set, "/metadata/name"),
            kind,
            set["spec"]["replicas"].clone(),
            spec["taints"][0]["effect"].clone(),
        )
    };
    let set = |zone: &str, kind: &str| {
        (format!("edge-bcd24-edge-{zone}"), kind.to_owned(), json!(1), json!("NoSchedule"))
    };
    let found: Vec<_> = sets.iter().map(of).collect();
    assert_eq!(found, [set("us-east-1-nyc-1a", "c5.2xlarge"), set("us-east-1-bos-1a", "r5.xlarge")]);
    let labels = &sets[0]["spec"]["template"]["spec"]["metadata"]["labels"];
    assert_eq!(labels["machine.openshift.io/parent-zone-name"], "us-east-1b");
}

/// The control plane and the compute machines start with the settings and the instance profiles of their pools.
#[test]
fn machines_have_the_settings_of_their_pools() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/plans/aws-own-profiles");
    let files = made(&folder).1;
    let first = |part: &str, pointer: &str| -> Value {
        let file = files.iter().find(|file| file.path.contains(part)).unwrap();
        let object: Value = serde_yaml::from_slice(&file.bytes).unwrap();
        object.pointer(pointer).unwrap().clone()
    };
    let master = first("master-machines-0", "/spec/providerSpec/value");
    assert_eq!(master["iamInstanceProfile"], json!({ "id": "control-plane" }));
    assert_eq!(
        master["cpuOptions"],
        json!({ "confidentialCompute": "AMDEncryptedVirtualizationNestedPaging" })
    );
    assert_eq!(master["blockDevices"][0]["ebs"]["throughputMib"], 500);
    let worker = first("worker-machineset-0", "/spec/template/spec/providerSpec/value");
    assert_eq!(worker["iamInstanceProfile"], json!({ "id": "nodes" }));
    assert_eq!(worker["cpuOptions"], json!({ "confidentialCompute": "Disabled" }));
}

/// Machines and the ingress load balancer have the subnets that the config gives them.
#[test]
fn subnets_are_those_of_their_roles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/plans/aws-subnet-roles");
    let files = made(&folder).1;
    let object = |part: &str| -> Value {
        let file = files.iter().find(|file| file.path.contains(part)).unwrap();
        serde_yaml::from_slice(&file.bytes).unwrap()
    };
    let master = object("master-machines-1");
    assert_eq!(master["spec"]["providerSpec"]["value"]["subnet"], json!({ "id": "subnet-0nodesb" }));
    let strategy = &object("default-ingresscontroller")["spec"]["endpointPublishingStrategy"];
    let subnets = json!({ "ids": ["subnet-0ingressa", "subnet-0ingressb"] });
    let subnets = json!({ "eipAllocations": null, "subnets": subnets });
    let parameters = json!({ "type": "AWS", "aws": { "type": "NLB", "networkLoadBalancer": subnets } });
    let balancer = json!({ "scope": "External", "providerParameters": parameters });
    assert_eq!(strategy["loadBalancer"], balancer);
    let copy = text_at(&object("manifests/cluster-config.yaml"), "/data/install-config");
    let copy: Value = serde_yaml::from_str(&copy).unwrap();
    assert_eq!(copy["platform"]["aws"]["vpc"]["subnets"][0]["roles"], json!([{ "type": "ClusterNode" }]));
}

/// Templates of Cluster API's machine sets name a copied image, whose id is known once it exists: both engines write it.
#[test]
fn a_copied_image_is_named_in_templates() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/plans/aws-user-dns");
    let (plan, files) = made(&folder);
    let platform = crate::outline::platform_of(&plan);
    let template = files.iter().find(|file| file.path.contains("machine-template-0")).unwrap();
    let path = format!("/opt/openshift/{}", template.path);
    let source = base64::engine::general_purpose::STANDARD.encode(&template.bytes);
    let source = format!("data:text/plain;charset=utf-8;base64,{source}");
    let ignition = json!({ "storage": { "files": [{ "path": path, "contents": { "source": source } }] } });
    let image = |ignition: &Value| -> Value {
        let text = landfall_render::ignition::text_of(ignition, &path).unwrap();
        let template: Value = serde_yaml::from_str(&text).unwrap();
        template.pointer("/spec/template/spec/ami/id").unwrap().clone()
    };
    let name = image(&ignition);
    let own = files.iter().find(|file| file.path == "terraform/landfall.auto.tfvars.json").unwrap();
    let mut variables: serde_json::Map<String, Value> = serde_json::from_slice(&own.bytes).unwrap();
    variables.insert("ami_id".to_owned(), "ami-0123".into());
    let completed = platform.completed_ignition(&ignition.to_string(), &variables).unwrap();
    assert_eq!(image(&serde_json::from_str(&completed).unwrap()), "ami-0123");

    let graph = platform.resources(&plan, Catalogue::embedded()).unwrap().unwrap();
    let object = graph.resources.iter().find(|node| node.name == "object/ignition").unwrap();
    assert_eq!(object.properties["imageName"], name);
    assert_eq!(object.properties["image"], landfall_platform::native::output("image/copy", "id"));
}

#[test]
fn every_file_is_in_the_graph() {
    let files = landfall::graph::ASSETS.iter().filter(|asset| asset.kind == landfall::graph::Kind::File);
    let names: Vec<&str> = files.map(|asset| asset.name).collect();
    for (_, _, files) in made_for_all() {
        for file in files {
            let standing = names.iter().filter(|name| landfall::graph::stands_for(name, &file.path)).count();
            assert_eq!(standing, 1, "{}", file.path);
        }
    }
}

#[test]
fn secrets_are_in_secret_files_only() {
    let world =
        ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "EXAMPLE-CLIENT-SECRET", "ZXhhbXBsZTpleGFtcGxl", "ZTpl"];
    let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    for (folder, plan, files) in made_for_all() {
        let plan = serde_json::to_string(&plan).unwrap();
        assert!(world.iter().all(|secret| !plan.contains(secret)), "{}", folder.display());
        for file in files {
            let shown = format!("{file:?}");
            let text = String::from_utf8(file.bytes).unwrap();
            for secret in world {
                let inside = text.contains(secret) || text.contains(&encode(secret));
                let tfvars = file.path.ends_with(".tfvars.json") || file.path == "metadata.json";
                assert!(!inside || (file.secret && !tfvars), "{}: {}", folder.display(), file.path);
                assert!(!shown.contains(secret) && !shown.contains(&encode(secret)), "{}", file.path);
            }
        }
    }
}
