//! The outline of a plan against the modules: the modules are evaluated with the variables of the plan, and
//! what they make must be what the outline says, type by type and stage by stage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hcl::eval::{Context, Evaluate, Func, FuncDef, ParamType};
use hcl::structure::Block;
use hcl::{BlockLabel, Expression, Map, Value};
use landfall::ui;
use landfall_install_config::assets;
use landfall_install_config::platforms;
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::Plan;
use landfall_model::plan::outline::Outline;
use landfall_platform::Platform;
use landfall_platform::native::GIVEN;
use landfall_render::{Extras, File, modules};

use self::changes::{both_families, in_wavelength_zone};
use crate::clusters;

mod changes;
mod native;

/// Stage and type.
pub type Kind = (String, String);

/// What one stage comes to.
#[derive(Default)]
struct Stage {
    /// The address of each resource block, and how many it makes.
    counts: BTreeMap<(String, String), u64>,
    locals: Map<String, Value>,
    outputs: Map<String, Value>,
}

fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

pub fn platform_of(plan: &Plan) -> &'static dyn Platform {
    plan.config.platform.present().first().and_then(|name| platforms::named(name)).unwrap()
}

fn outline_of(plan: &Plan) -> Outline {
    platform_of(plan).outline(plan)
}

/// What the outline says: how many of each type.
fn outlined(name: &str, plan: &Plan) -> BTreeMap<Kind, u64> {
    let mut counts = BTreeMap::new();
    let stages: Vec<&str> = platform_of(plan).stages().iter().map(|stage| stage.name).collect();
    for item in outline_of(plan).items {
        assert!(stages.contains(&item.stage), "{name}: there is no stage {}", item.stage);
        let few = item.names.is_empty() || item.names.len() == usize::try_from(item.count).unwrap();
        assert!(few, "{name}: {} has {} and {:?}", item.resource, item.count, item.names);
        assert!(item.kind.chars().count() <= 29, "{}: too wide for the table", item.kind);
        let kind = (item.stage.to_owned(), item.resource.to_owned());
        assert_eq!(counts.insert(kind, item.count.into()), None, "{name}: {} twice", item.resource);
    }
    counts
}

/// The variables that the files of a plan set.
fn variables_of(plan: &Plan) -> Map<String, Value> {
    let world = clusters::Fixed(BTreeMap::new());
    let credentials = assets::credentials(&plan.config, &world);
    let tls = clusters::tls();
    let extras = Extras {
        credentials: &credentials,
        tls: &tls,
        invoker: "user",
        masters_schedulable: None,
        bootstrap_ignition: None,
        master_ignition: None,
        account: None,
        engine: None,
    };
    let files = assets::files(plan, &extras);
    let set = files.iter().filter(|file| file.path.ends_with(".tfvars.json"));
    set.flat_map(|file| serde_json::from_slice::<Map<String, Value>>(&file.bytes).unwrap()).collect()
}

fn blocks_of(files: &[File]) -> Vec<Block> {
    let bodies = files.iter().map(|file| hcl::parse(std::str::from_utf8(&file.bytes).unwrap()).unwrap());
    bodies.flat_map(|body| body.blocks().cloned().collect::<Vec<_>>()).collect()
}

fn label(block: &Block, at: usize) -> String {
    match &block.labels[at] {
        BlockLabel::String(text) => text.clone(),
        BlockLabel::Identifier(name) => name.to_string(),
    }
}

fn argument<'b>(block: &'b Block, name: &str) -> Option<&'b Expression> {
    block.body().attributes().find(|attribute| attribute.key() == name).map(hcl::Attribute::expr)
}

fn named<'b>(blocks: &'b [Block], kind: &'static str) -> impl Iterator<Item = &'b Block> {
    blocks.iter().filter(move |block| block.identifier() == kind)
}

/// Attributes that others read of a resource: their texts mean nothing, but that they are there.
fn resource() -> Value {
    const IPV6: (&str, &str) = ("ipv6_cidr_block", "2600:1f18:0:ab00::/56");
    let known = ["arn", "dns_name", "fqdn", "id", "name", "private_ip", "url", "zone_id"];
    known.into_iter().map(|attribute| (attribute, "known")).chain([IPV6]).collect()
}

/// How many resources a block makes, and what others see of them; none while something that it needs is not
/// known yet.
fn made(block: &Block, context: &Context<'_>) -> Option<(u64, Value)> {
    if let Some(count) = argument(block, "count") {
        let count = count.evaluate(context).ok()?.as_u64()?;
        let all: Vec<Value> = (0..count).map(|_| resource()).collect();
        return Some((count, Value::Array(all)));
    }
    let Some(each) = argument(block, "for_each") else {
        return Some((1, resource()));
    };
    let keys: Vec<String> = match each.evaluate(context).ok()? {
        Value::Object(map) => map.into_iter().map(|(key, _)| key).collect(),
        Value::Array(list) => list.iter().map(text).collect::<Result<_, _>>().ok()?,
        _ => return None,
    };
    let count = u64::try_from(keys.len()).unwrap();
    Some((count, keys.into_iter().map(|key| (key, resource())).collect()))
}

/// Evaluates a stage as far as counts need it: every round knows more, until nothing new comes of one.
fn evaluated(blocks: &[Block], set: &Map<String, Value>) -> Stage {
    let mut context = Context::new();
    declare_functions(&mut context);
    let variables = named(blocks, "variable").map(|block| {
        let default = argument(block, "default").and_then(|default| default.evaluate(&context).ok());
        let name = label(block, 0);
        let value = set.get(&name).cloned().or(default).unwrap_or(Value::Null);
        (name, value)
    });
    let variables: Value = variables.collect();
    context.declare_var("var", variables);
    // The VPC that the user names has addresses of its own, which counts do not depend on.
    let given: Value = [("given", Value::Array(Vec::new()))].into_iter().collect();
    context.declare_var("data", [("aws_vpc", given)].into_iter().collect::<Value>());
    let mut stage = Stage::default();
    let mut resources: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    loop {
        let before = (stage.locals.len(), stage.counts.len());
        context.declare_var("local", stage.locals.clone());
        for (kind, all) in &resources {
            context.declare_var(kind.as_str(), all.clone());
        }
        for attribute in named(blocks, "locals").flat_map(|block| block.body().attributes()) {
            if !stage.locals.contains_key(attribute.key())
                && let Ok(value) = attribute.expr().evaluate(&context)
            {
                stage.locals.insert(attribute.key().to_owned(), value);
            }
        }
        for block in named(blocks, "resource") {
            let address = (label(block, 0), label(block, 1));
            if !stage.counts.contains_key(&address)
                && let Some((count, seen)) = made(block, &context)
            {
                resources.entry(address.0.clone()).or_default().insert(address.1.clone(), seen);
                stage.counts.insert(address, count);
            }
        }
        if before == (stage.locals.len(), stage.counts.len()) {
            break;
        }
    }
    for block in named(blocks, "resource") {
        let address = (label(block, 0), label(block, 1));
        assert!(stage.counts.contains_key(&address), "the count of {address:?} cannot be evaluated");
    }
    for block in named(blocks, "output") {
        let value = argument(block, "value").and_then(|value| value.evaluate(&context).ok());
        stage.outputs.extend(value.map(|value| (label(block, 0), value)));
    }
    stage
}

/// What terraform would make of a plan, stage by stage; outputs of a stage are variables of later ones.
fn applied(plan: &Plan) -> Vec<(&'static str, Stage)> {
    let platform = platform_of(plan);
    let mut set = variables_of(plan);
    let mut stages = Vec::new();
    for stage in platform.stages() {
        let found = evaluated(&blocks_of(&modules::stage(platform.name(), stage)), &set);
        set.extend(found.outputs.clone());
        stages.push((stage.name, found));
    }
    stages
}

/// How many of each type the stages make, as far as they make any.
fn counted(stages: &[(&'static str, Stage)]) -> BTreeMap<Kind, u64> {
    let mut counts = BTreeMap::new();
    for (name, stage) in stages {
        for ((kind, _), count) in stage.counts.iter().filter(|(_, count)| **count > 0) {
            *counts.entry(((*name).to_owned(), kind.clone())).or_insert(0) += count;
        }
    }
    counts
}

/// The same for a plan.
pub fn counted_of(plan: &Plan) -> BTreeMap<Kind, u64> {
    counted(&applied(plan))
}

/// The examples, and plans that differ from one of them in what no example has.
pub fn plans() -> Vec<(String, Plan)> {
    let name = |folder: &Path| folder.file_name().unwrap().to_string_lossy().into_owned();
    let examples = clusters::made_for_all()
        .map(|(folder, plan, _)| (format!("{} {}", name(&folder), plan.release), plan));
    examples.chain(changed()).collect()
}

/// What it is, the example that it is made of, and what of that is changed.
type Change = (&'static str, &'static str, fn(&mut Plan));

fn changed() -> Vec<(String, Plan)> {
    let changes: [Change; 9] = [
        ("azure, both families", "azure-marketplace-confidential", both_families),
        ("azure, internal with both families", "azure-marketplace-confidential", |plan| {
            both_families(plan);
            plan.cluster.external_api = false;
        }),
        ("azure, own routes", "azure-marketplace-confidential", |plan| {
            plan.cluster.external_api = false;
            "UserDefinedRouting".clone_into(&mut plan.platform.azure.as_mut().unwrap().outbound_type);
        }),
        ("azure, no access keys", "azure-storage-disks", |plan| {
            plan.platform.azure.as_mut().unwrap().storage.without_access_keys = true;
        }),
        ("azure, no access keys and given identities", "azure-nat-single", |plan| {
            plan.platform.azure.as_mut().unwrap().storage.without_access_keys = true;
        }),
        ("aws, no endpoint of S3", "aws-new-edge", |plan| {
            plan.platform.aws.as_mut().unwrap().traits.s3_endpoint_service.clear();
        }),
        ("aws, both families in an existing network", "aws-subnet-roles", |plan| {
            let platform = plan.config.platform.aws.as_mut().unwrap();
            "DualStackIPv6Primary".clone_into(&mut platform.ip_family);
        }),
        ("aws, Wavelength zone", "aws-new-edge", in_wavelength_zone),
        ("aws, internal", "aws-new-edge", |plan| {
            "Internal".clone_into(&mut plan.config.publish);
            plan.cluster.external_api = false;
        }),
    ];
    let changes = changes.into_iter().map(|(name, example, change)| {
        let mut plan = clusters::made(&own("testdata/plans").join(example)).0;
        change(&mut plan);
        (name.to_owned(), plan)
    });
    changes.collect()
}

#[test]
fn outlines_are_what_the_modules_make() {
    let mut wrong = Vec::new();
    for (name, plan) in plans() {
        let (found, wanted) = (outlined(&name, &plan), counted(&applied(&plan)));
        for kind in found.keys().chain(wanted.keys()).collect::<BTreeSet<_>>() {
            let (found, wanted) = (found.get(kind), wanted.get(kind));
            if found != wanted {
                wrong.push(format!("{name}: {kind:?}: the outline has {found:?}, the modules {wanted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The modules look a parent up among the zones with subnets.
#[test]
fn zones_without_subnets_are_not_counted_for_local_zones() {
    let mut plan = clusters::made(&own("testdata/plans/aws-new-edge")).0;
    let index = |plan: &Plan| variables_of(plan)["aws_edge_parent_zones_index"].clone();
    let before = index(&plan);
    assert!(before.as_object().is_some_and(|zones| !zones.is_empty()), "{before}");
    // Of a pool with more zones than machines.
    plan.platform.aws.as_mut().unwrap().control_plane.zones.insert(0, "us-east-0a".to_owned());
    assert_eq!(index(&plan), before);
}

/// Terraform's provider knows no Stack Hub.
#[test]
fn a_stack_hub_has_no_modules() {
    let mut plan = clusters::made(&own("testdata/plans/azure-nat-single")).0;
    let modules = |plan: &Plan| {
        let tls = clusters::tls();
        let files = assets::files(plan, &clusters::extras(&BTreeMap::new(), &tls));
        files.iter().filter(|file| file.path.ends_with("/main.tf")).count()
    };
    assert_eq!(modules(&plan), 3);
    plan.platform.azure.as_mut().unwrap().cloud.stack = true;
    assert_eq!(modules(&plan), 0);
    assert!(platform_of(&plan).outline(&plan).stages().is_empty());
}

#[test]
fn every_type_of_the_modules_is_in_an_outline() {
    let mut found: BTreeMap<&str, BTreeSet<Kind>> = BTreeMap::new();
    for (name, plan) in plans() {
        let kinds = outlined(&name, &plan).into_keys();
        found.entry(platform_of(&plan).name()).or_default().extend(kinds);
    }
    assert!(found.len() >= 2, "{found:?}");
    for (name, found) in found {
        let mut wanted: BTreeSet<Kind> = BTreeSet::new();
        for stage in platforms::named(name).unwrap().stages() {
            let blocks = blocks_of(&modules::stage(name, stage));
            wanted.extend(named(&blocks, "resource").map(|block| (stage.name.to_owned(), label(block, 0))));
        }
        assert_eq!(found, wanted, "{name}");
    }
}

/// Users read what the native engine creates in the words of the summary.
#[test]
fn every_kind_of_the_native_engine_has_a_title() {
    let mut seen = BTreeSet::new();
    for (_, plan, _) in clusters::made_for_all() {
        let Ok(Some(graph)) = platform_of(&plan).resources(&plan, Catalogue::embedded()) else { continue };
        let own = graph.resources.iter().map(|node| node.kind).filter(|kind| !kind.starts_with(GIVEN));
        for kind in own {
            let title = graph.title(kind);
            assert!(title.starts_with(|letter: char| letter.is_ascii_uppercase()), "{kind}: {title}");
            assert!(title.chars().count() <= 29, "{title}: too wide for the table");
            seen.insert(title);
        }
    }
    for title in ["Target group", "Elastic IP address", "Network security group"] {
        assert!(seen.contains(title), "{title} of {seen:?}");
    }
}

#[test]
fn subnets_have_the_addresses_that_the_modules_have() {
    let mut seen = 0;
    for (name, plan) in plans() {
        let outline = outline_of(&plan);
        let details: Vec<&str> = outline.items.iter().map(|item| item.detail.as_str()).collect();
        for (_, stage) in applied(&plan) {
            let locals = stage.locals.iter().filter(|(key, _)| key.ends_with("_cidrs"));
            for (zone, cidr) in locals.filter_map(|(_, value)| value.as_object()).flatten() {
                let subnet = format!("{} in {zone}", text(cidr).unwrap());
                assert!(details.iter().any(|detail| detail.contains(&subnet)), "{name}: {cidr} in {zone}");
                seen += 1;
            }
        }
    }
    assert!(seen > 12, "only {seen} subnets were seen");
}

/// `BLESS=1` writes the outlines anew; review the difference.
#[test]
fn outlines_are_as_written() {
    let bless = std::env::var_os("BLESS").is_some();
    let folder = own("testdata/outlines");
    if bless {
        std::fs::create_dir_all(&folder).unwrap();
    }
    let mut wrong = Vec::new();
    for example in clusters::all().into_iter().filter(|example| example.starts_with(own("testdata"))) {
        let name = example.file_name().unwrap().to_string_lossy().into_owned();
        let outline = outline_of(&clusters::made(&example).0);
        let json = serde_json::to_string_pretty(&ui::outline::json(&outline)).unwrap() + "\n";
        for (kind, found) in [("json", json), ("txt", ui::outline::text(&outline, ui::Style::PLAIN))] {
            let path = folder.join(format!("{name}.{kind}"));
            if bless {
                std::fs::write(&path, &found).unwrap();
            }
            if std::fs::read_to_string(&path).unwrap_or_default() != found {
                wrong.push(format!("{name}.{kind}:\n{found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "differs from what is expected (BLESS=1 writes it):\n{}", wrong.join("\n"));
}

fn text(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("{value} is no text"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("{value} is no whole number"))
}

fn list(value: &Value) -> Result<Vec<Value>, String> {
    value.as_array().cloned().ok_or_else(|| format!("{value} is no list"))
}

fn without_repeats(list: Vec<Value>) -> Value {
    let mut distinct: Vec<Value> = Vec::new();
    for value in list {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    Value::Array(distinct)
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    list(value)?.iter().map(text).collect()
}

/// A part of a network: `bits` more of prefix, and the number of the part.
fn part_of(network: &str, bits: u64, number: u64) -> Result<String, String> {
    let network: ipnet::IpNet = network.parse().map_err(|_| format!("{network} is no network"))?;
    let prefix = u64::from(network.prefix_len()) + bits;
    let prefix = u8::try_from(prefix).map_err(|fault| fault.to_string())?;
    let mut parts = network.subnets(prefix).map_err(|fault| fault.to_string())?;
    let number = usize::try_from(number).map_err(|fault| fault.to_string())?;
    parts.nth(number).map(|part| part.to_string()).ok_or_else(|| format!("there is no part {number}"))
}

/// The functions of terraform that counts are made with.
fn declare_functions(context: &mut Context<'_>) {
    let functions: [(&str, Func); 16] = [
        ("compact", |args| {
            let texts =
                list(&args[0])?.into_iter().filter(|text| !text.is_null() && text != &Value::from(""));
            Ok(texts.collect())
        }),
        ("cidrsubnet", |args| Ok(part_of(&text(&args[0])?, whole(&args[1])?, whole(&args[2])?)?.into())),
        ("concat", |args| {
            let lists: Vec<Vec<Value>> = args.iter().map(list).collect::<Result<_, _>>()?;
            Ok(Value::Array(lists.concat()))
        }),
        ("contains", |args| Ok(list(&args[0])?.contains(&args[1]).into())),
        ("distinct", |args| Ok(without_repeats(list(&args[0])?))),
        ("flatten", |args| {
            fn flat(value: &Value) -> Vec<Value> {
                match value {
                    Value::Array(list) => list.iter().flat_map(flat).collect(),
                    other => vec![other.clone()],
                }
            }
            Ok(Value::Array(flat(&args[0])))
        }),
        ("join", |args| {
            let (between, parts) = (text(&args[0])?, texts(&args[1])?);
            Ok(parts.join(between.as_str()).into())
        }),
        ("keys", |args| {
            let keys: BTreeSet<&String> = args[0].as_object().ok_or("no map")?.keys().collect();
            Ok(keys.into_iter().map(String::as_str).collect())
        }),
        ("length", |args| match &args[0] {
            Value::Array(list) => Ok(list.len().into()),
            Value::Object(map) => Ok(map.len().into()),
            other => Err(format!("{other} has no length")),
        }),
        ("merge", |args| {
            let maps = args.iter().filter(|map| !map.is_null());
            let maps: Vec<&Map<String, Value>> =
                maps.map(|map| map.as_object().ok_or("no map")).collect::<Result<_, _>>()?;
            let merged: Map<String, Value> =
                maps.into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect();
            Ok(merged.into())
        }),
        ("replace", |args| Ok(text(&args[0])?.replace(&text(&args[1])?, &text(&args[2])?).into())),
        ("range", |args| Ok((0..whole(&args[0])?).collect())),
        ("setproduct", |args| {
            let (first, second) = (list(&args[0])?, list(&args[1])?);
            let pairs = first.iter().flat_map(|a| second.iter().map(move |b| vec![a.clone(), b.clone()]));
            Ok(pairs.collect())
        }),
        ("tonumber", |args| match &args[0] {
            Value::String(text) => text.parse::<u64>().map(Value::from).map_err(|fault| fault.to_string()),
            other => Ok(other.clone()),
        }),
        ("toset", |args| Ok(without_repeats(list(&args[0])?))),
        ("trimsuffix", |args| {
            let (name, suffix) = (text(&args[0])?, text(&args[1])?);
            Ok(name.strip_suffix(suffix.as_str()).unwrap_or(&name).into())
        }),
    ];
    for (name, function) in functions {
        context.declare_func(name, FuncDef::builder().variadic_param(ParamType::Any).build(function));
    }
}
