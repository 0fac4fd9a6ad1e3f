//! The terraform modules: every resource, block and argument against the providers' own schemas, and every
//! variable against the files that set them.
//!
//! The schemas are data of other projects and not part of this one: they are taken from
//! `../shared/terraform-schema`, or from the folder that `LANDFALL_TERRAFORM_SCHEMA` names. That test is part of
//! the outer ring.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hcl::structure::{Attribute, Block, Body, Structure};
use hcl::{BlockLabel, Expression};
use landfall_render::{File, modules};
use regex_lite::Regex;
use serde_json::Value;

use crate::clusters;

/// Providers' schemas by the platform whose modules must fit them.
const SCHEMAS: &[(&str, &[&str])] =
    &[("aws", &["aws-5.100.0.json", "aws.json"]), ("azure", &["azurerm.json"])];

/// Variables that the engine hands over in the environment, as they are secret and die with the run.
const FROM_ENVIRONMENT: &[&str] = &["aws_bootstrap_ignition_url", "completed_ignition_file"];

/// Variables that stay at their defaults in all examples, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("aws_load_balancer_security_groups", "only set for regions that refuse them"),
    ("aws_master_use_spot_instance", "the install config has no field for it"),
    ("azure_bootstrap_vm_type", "the bootstrap machine has the control plane's size"),
    ("azure_certificate_password", "secret: terraform takes it from ARM_CLIENT_CERTIFICATE_PASSWORD"),
    ("azure_certificate_path", "only set with a certificate instead of a secret"),
    ("azure_client_secret", "secret: terraform takes it from ARM_CLIENT_SECRET"),
    ("azure_storage_without_access_keys", "only set from release 4.19 on"),
    ("azure_use_msi", "only set without a secret or certificate"),
];

/// What a provider has changed since the release whose schema is at hand.
struct Changed {
    schema: &'static str,
    /// Pointer to the block.
    at: &'static str,
    /// Attributes that came, with their types.
    came: &'static [(&'static str, &'static str)],
    /// Attributes that went.
    went: &'static [&'static str],
}

const CHANGED: &[Changed] = &[
    // azurerm 4.77: a blob names its container by id.
    Changed {
        schema: "azurerm.json",
        at: "/resources/azurerm_storage_blob",
        came: &[("storage_container_id", "string")],
        went: &["storage_account_name", "storage_container_name"],
    },
    // azurerm 4.75.
    Changed {
        schema: "azurerm.json",
        at: "/provider_config/blocks/features",
        came: &[("persist_id_on_create_before_polling_for_completion", "bool")],
        went: &[],
    },
];

/// A provider's schema with what it has changed since.
fn schema_of(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    for Changed { at, came, went, .. } in CHANGED.iter().filter(|changed| changed.schema == name) {
        let block = schema.pointer_mut(at).and_then(Value::as_object_mut).unwrap();
        let attributes = block.entry("attributes").or_insert_with(|| Value::Object(serde_json::Map::new()));
        let attributes = attributes.as_object_mut().unwrap();
        for gone in *went {
            assert!(attributes.remove(*gone).is_some(), "{name} has no {gone} any more");
        }
        for (new, kind) in *came {
            let old = attributes.insert((*new).to_owned(), serde_json::json!({ "type": kind }));
            assert!(old.is_none(), "{name} has {new} by itself");
        }
    }
    schema
}

/// Arguments that terraform itself takes in every block of a kind.
const META: &[&str] =
    &["count", "for_each", "depends_on", "provider", "lifecycle", "provisioner", "connection"];

fn platform(name: &str) -> &'static dyn landfall_platform::Platform {
    landfall_install_config::platforms::named(name).unwrap()
}

fn stages(name: &str) -> Vec<(&'static str, Vec<File>)> {
    let stages = platform(name).stages();
    assert!(!stages.is_empty(), "{name}");
    stages.iter().map(|stage| (stage.name, modules::stage(name, stage))).collect()
}

fn parsed(file: &File) -> Body {
    let text = std::str::from_utf8(&file.bytes).unwrap();
    hcl::parse(text).unwrap_or_else(|fault| panic!("{}: {fault}", file.path))
}

fn schema_folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/terraform-schema");
    std::env::var_os("LANDFALL_TERRAFORM_SCHEMA").map_or_else(own, PathBuf::from)
}

fn label(block: &Block, at: usize) -> &str {
    match &block.labels[at] {
        BlockLabel::String(text) => text,
        BlockLabel::Identifier(name) => name,
    }
}

/// What a literal is, if the expression is one.
fn literal(expression: &Expression) -> Option<&'static str> {
    match expression {
        Expression::Bool(_) => Some("bool"),
        Expression::Number(_) => Some("number"),
        Expression::String(_) | Expression::TemplateExpr(_) => Some("string"),
        Expression::Array(_) => Some("list"),
        Expression::Object(_) => Some("map"),
        _ => None,
    }
}

fn type_fits(kind: &str, literal: &str) -> bool {
    match kind.split('(').next().unwrap_or(kind) {
        "list" | "set" | "tuple" => literal == "list",
        "map" | "object" => literal == "map",
        "string" => literal == "string",
        "number" => literal == "number",
        "bool" => literal == "bool",
        _ => true,
    }
}

/// Looks at the content of a block, `schema` having its `attributes` and `blocks`.
fn check(at: &str, body: &Body, schema: &Value, out: &mut Vec<String>) {
    let empty = serde_json::Map::new();
    let attributes = schema["attributes"].as_object().unwrap_or(&empty);
    let blocks = schema["blocks"].as_object().unwrap_or(&empty);
    let mut given: BTreeSet<String> = BTreeSet::new();
    for structure in body {
        match structure {
            Structure::Attribute(Attribute { key, expr }) => {
                given.insert(key.to_string());
                check_argument(at, key, expr, attributes, blocks, out);
            }
            Structure::Block(block) => {
                let (name, inner) = unrolled(block);
                given.insert(name.clone());
                if META.contains(&name.as_str()) || name == "timeouts" {
                    continue;
                }
                match (blocks.get(&name), attributes.get(&name)) {
                    (Some(schema), _) => check(&format!("{at}.{name}"), inner, schema, out),
                    // Some providers declare a list of objects that is written as blocks.
                    (None, Some(attribute)) if attribute["object"].is_object() => {
                        check(&format!("{at}.{name}"), inner, &attribute["object"], out);
                    }
                    _ => out.push(format!("{at}: there is no block {name}")),
                }
            }
        }
    }
    let required = attributes.iter().chain(blocks).filter(|(_, about)| about["required"] == true);
    out.extend(
        required
            .filter(|(name, _)| !given.contains(*name))
            .map(|(name, _)| format!("{at}: {name} is missing")),
    );
}

fn check_argument(
    at: &str,
    key: &str,
    expression: &Expression,
    attributes: &serde_json::Map<String, Value>,
    blocks: &serde_json::Map<String, Value>,
    out: &mut Vec<String>,
) {
    if META.contains(&key) {
        return;
    }
    let Some(about) = attributes.get(key) else {
        let hint = if blocks.contains_key(key) { ", which is a block" } else { "" };
        out.push(format!("{at}: there is no argument {key}{hint}"));
        return;
    };
    if about["computed"] == true && about["optional"] != true && about["required"] != true {
        out.push(format!("{at}: {key} can only be read"));
    }
    if let (Some(kind), Some(literal)) = (about["type"].as_str(), literal(expression))
        && !type_fits(kind, literal)
    {
        out.push(format!("{at}: {key} is a {kind}, not a {literal}"));
    }
}

/// The name and content of a block; of a dynamic one, those of what it makes.
fn unrolled(block: &Block) -> (String, &Body) {
    if block.identifier() != "dynamic" {
        return (block.identifier().to_owned(), block.body());
    }
    let content = block.body().blocks().find(|inner| inner.identifier() == "content").expect("a content");
    (label(block, 0).to_owned(), content.body())
}

#[test]
#[ignore = "needs definitions"]
fn modules_keep_to_the_schemas_of_their_providers() {
    let folder = schema_folder();
    assert!(folder.is_dir(), "{} is missing: LANDFALL_TERRAFORM_SCHEMA names the folder", folder.display());
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, files) in SCHEMAS {
        for schema in *files {
            let schema_value = schema_of(&folder, schema);
            for (stage, files) in stages(name) {
                for file in &files {
                    let at = format!("{schema} {stage}");
                    for block in parsed(file).blocks() {
                        seen += usize::from(check_block(&at, block, &schema_value, &mut wrong));
                    }
                    check_reads(&at, file, &schema_value, &mut wrong);
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} blocks were checked");
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// Checks a resource, data source or provider; says whether it was one.
fn check_block(at: &str, block: &Block, schema: &Value, out: &mut Vec<String>) -> bool {
    let (kind, table) = match block.identifier() {
        "resource" => ("resource", &schema["resources"]),
        "data" => ("data source", &schema["data_sources"]),
        "provider" => {
            let mut body = schema["provider_config"].clone();
            let own = [("alias", "string"), ("version", "string")];
            for (name, kind) in own {
                body["attributes"][name] = serde_json::json!({ "type": kind });
            }
            check(&format!("{at}: provider"), block.body(), &body, out);
            return true;
        }
        _ => return false,
    };
    let name = label(block, 0);
    if name == "terraform_data" {
        return false;
    }
    match table.get(name) {
        Some(about) => check(&format!("{at}: {name}.{}", label(block, 1)), block.body(), about, out),
        None => out.push(format!("{at}: there is no {kind} {name}")),
    }
    true
}

/// Every attribute that is read of a resource or data source must be there.
fn check_reads(at: &str, file: &File, schema: &Value, out: &mut Vec<String>) {
    let text = std::str::from_utf8(&file.bytes).unwrap();
    let read =
        Regex::new(r"(data\.)?\b((?:aws|azurerm)_[a-z0-9_]+)\.([a-z0-9_]+)(?:\[[^\]]*\])?\.([a-z0-9_]+)")
            .unwrap();
    for found in read.captures_iter(text) {
        let table = if found.get(1).is_some() { "data_sources" } else { "resources" };
        let (kind, attribute) = (&found[2], &found[4]);
        let Some(about) = schema[table].get(kind) else { continue };
        let known = ["attributes", "blocks"].iter().any(|part| about[*part].get(attribute).is_some());
        if !known && attribute != "id" {
            out.push(format!("{at}: {}: {kind} has no {attribute}", file.path));
        }
    }
}

/// The variables of a stage: name, and whether they have a default.
fn variables(files: &[File]) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for file in files {
        for block in parsed(file).blocks().filter(|block| block.identifier() == "variable") {
            let has = |key: &str| block.body().attributes().any(|attribute| attribute.key() == key);
            assert!(has("type") && has("description"), "{}: {}", file.path, label(block, 0));
            assert!(
                found.insert(label(block, 0).to_owned(), has("default")).is_none(),
                "{}",
                label(block, 0)
            );
        }
    }
    found
}

fn outputs(files: &[File]) -> BTreeSet<String> {
    let bodies = files.iter().map(parsed);
    bodies
        .flat_map(|body| {
            let outputs = body.blocks().filter(|block| block.identifier() == "output");
            outputs.map(|block| label(block, 0).to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

/// The variables that the files of each example of a platform set.
fn set_in_examples(name: &str) -> Vec<BTreeSet<String>> {
    let mut all = Vec::new();
    for folder in clusters::all() {
        let (plan, files) = clusters::made(&folder);
        if plan.config.platform.present().first() != Some(&name) {
            continue;
        }
        let variables = files.iter().filter(|file| file.path.ends_with(".tfvars.json"));
        let keys = variables.flat_map(|file| {
            let map: serde_json::Map<String, Value> = serde_json::from_slice(&file.bytes).unwrap();
            map.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        });
        all.push(keys.collect());
    }
    assert!(!all.is_empty(), "no example of {name}");
    all
}

#[test]
fn variables_and_the_files_that_set_them_agree() {
    let mut wrong = Vec::new();
    for (name, _) in SCHEMAS {
        let examples = set_in_examples(name);
        let ever: BTreeSet<&String> = examples.iter().flatten().collect();
        let mut earlier: BTreeSet<String> = BTreeSet::new();
        for (stage, files) in stages(name) {
            let declared = variables(&files);
            for set in &examples {
                let unknown = set.iter().filter(|key| !declared.contains_key(*key));
                wrong.extend(unknown.map(|key| format!("{name} {stage}: {key} is set and not declared")));
                let missing = declared
                    .iter()
                    .filter(|(key, default)| !**default && !set.contains(*key) && !earlier.contains(*key));
                wrong.extend(
                    missing.map(|(key, _)| format!("{name} {stage}: {key} is not set and has no default")),
                );
            }
            for key in declared.keys() {
                let known = ever.contains(key)
                    || earlier.contains(key)
                    || FROM_ENVIRONMENT.contains(&key.as_str())
                    || LEFT_OUT.iter().any(|(left, _)| left == key);
                if !known {
                    wrong.push(format!("{name} {stage}: nothing ever sets {key}"));
                }
            }
            earlier.extend(outputs(&files));
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The page says of each variable what guarantees that the provider takes its values.
#[test]
fn every_variable_on_azure_has_a_rule() {
    let page = include_str!("../../docs/reference/azurerm-arguments.md");
    let rows = page.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    let listed: Vec<&str> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let declared: BTreeSet<String> =
        stages("azure").iter().flat_map(|(_, files)| variables(files).into_keys()).collect();
    let named: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(named.len(), listed.len(), "a variable has two rows");
    assert_eq!(named, declared);
}

#[test]
fn files_of_a_stage_have_names_of_their_own() {
    for (name, _) in SCHEMAS {
        for (stage, files) in stages(name) {
            let names: BTreeSet<&String> = files.iter().map(|file| &file.path).collect();
            assert_eq!(names.len(), files.len(), "{name} {stage}");
            assert!(files.len() > 3, "{name} {stage}");
            let joined =
                platform(name).stages().iter().find(|s| s.name == stage).map(|s| modules::joined(name, s));
            let blocks: usize = files.iter().map(|file| parsed(file).blocks().count()).sum();
            assert_eq!(parsed(&joined.unwrap()).blocks().count(), blocks, "{name} {stage}");
        }
    }
}

#[test]
fn no_module_asks_for_a_region_or_partition_by_name() {
    let asks =
        Regex::new(r#"(region|partition|environment|location|cloud)[a-z_.]*\s*(==|!=)\s*"[^"]"#).unwrap();
    for (name, _) in SCHEMAS {
        for file in stages(name).into_iter().flat_map(|(_, files)| files) {
            let text = String::from_utf8(file.bytes).unwrap();
            let line = text.lines().find(|line| asks.is_match(line));
            assert!(line.is_none(), "{}: {line:?}", file.path);
        }
    }
}

/// The resources of a module, by type and name.
fn resources(files: &[File]) -> BTreeSet<(String, String)> {
    let bodies: Vec<Body> = files.iter().map(parsed).collect();
    let blocks =
        bodies.iter().flat_map(|body| body.blocks()).filter(|block| block.identifier() == "resource");
    blocks.map(|block| (label(block, 0).to_owned(), label(block, 1).to_owned())).collect()
}

/// Modules for other releases of a provider create the same, and take other releases.
#[test]
fn modules_for_other_releases_have_the_same_resources() {
    let mut count = 0;
    for stage in platform("azure").stages() {
        let standard = modules::stage("azure", stage);
        let joined = modules::joined("azure", stage);
        for (other, text) in
            modules::alternatives("azure", stage).iter().zip(modules::joined_alternatives("azure", stage))
        {
            assert_eq!(resources(other), resources(&standard), "{}", stage.name);
            let releases = |text: &File| {
                let text = String::from_utf8_lossy(&text.bytes).into_owned();
                let line = text
                    .lines()
                    .find(|line| line.trim_start().starts_with("version = \">="))
                    .map(str::to_owned);
                line.unwrap_or_default()
            };
            assert_ne!(releases(&text), releases(&joined), "{}", stage.name);
            count += 1;
        }
    }
    assert_eq!(count, platform("azure").stages().len());
}
