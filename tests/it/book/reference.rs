//! The pages of the reference that are made of the program: commands, codes, fields, permissions, files.
//! `BLESS=1` writes them anew; review the difference.

mod commands;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use landfall::graph::{ASSETS, Kind};
use landfall_diagnostics::{Severity, pages};
use landfall_engine_aso::outside;
use landfall_model::catalogue::Catalogue;
use landfall_model::config::schema::{FieldDoc, field};

use commands::commands;

const NOTE: &str = "<!-- Generated: BLESS=1 cargo nextest run --test it book:: writes this page. -->\n";

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the codes of a family are about.
const FAMILIES: &[(&str, &str)] = &[
    ("LF00", "Reading the file"),
    ("LF01", "Cluster, secrets and features"),
    ("LF02", "Networks"),
    ("LF03", "Machine pools"),
    ("LF04", "AWS"),
    ("LF05", "Azure"),
    ("LF06", "Catalogue, facts, directory and ignition files"),
    ("LF07", "Planning"),
    ("LF10", "Preflight on AWS"),
    ("LF11", "Preflight on Azure"),
    ("LF12", "Terraform and waiting"),
    ("LF13", "Destroying"),
    ("LF14", "Cloud provider configuration and cloud profiles"),
    ("LF15", "Azure Service Operator"),
];

fn codes(written: &mut BTreeMap<String, String>) {
    let mut index = format!(
        "# Finding codes\n\n{NOTE}\nEvery finding has a code. `landfall explain LF0422` prints the page of a code.\n\n\
         | family | subject |\n|---|---|\n"
    );
    for (family, about) in FAMILIES {
        writeln!(index, "| [{family}xx](codes/{family}xx.md) | {about} |").unwrap();
        let mut text =
            format!("# {family}xx: {about}\n\n{NOTE}\n| code | severity | rule |\n|---|---|---|\n");
        for page in pages().into_iter().filter(|page| page.code.starts_with(family)) {
            let severity = if page.severity == Severity::Error { "error" } else { "warning" };
            writeln!(text, "| [{0}](../../codes/{0}.md) | {severity} | {1} |", page.code, cell(page.title))
                .unwrap();
        }
        written.insert(format!("codes/{family}xx.md"), text);
    }
    for page in pages() {
        assert!(FAMILIES.iter().any(|(name, _)| page.code.starts_with(name)), "{} has no family", page.code);
    }
    written.insert("codes.md".to_owned(), index);
}

/// Writes a table of the fields below `doc`, and then those below these.
fn fields_of(text: &mut String, doc: &FieldDoc, leave: &[&str]) {
    let below: Vec<FieldDoc> = doc
        .fields
        .iter()
        .filter_map(|line| {
            field(&if doc.field.is_empty() {
                line.name.clone()
            } else {
                format!("{}.{}", doc.field, line.name)
            })
            .ok()
        })
        .collect();
    if below.is_empty() {
        return;
    }
    let name = if doc.field.is_empty() { "install-config.yaml" } else { &doc.field };
    writeln!(text, "\n## `{name}`\n\n| field | type | meaning |\n|---|---|---|").unwrap();
    for field in &below {
        let last = field.field.rsplit('.').next().unwrap_or_default();
        let mut meaning = cell(&field.description);
        for (word, value) in [("Required", &field.required)] {
            if let Some(value) = value {
                write!(meaning, " {word}: {}.", cell(value)).unwrap();
            }
        }
        if let Some(default) = &field.default {
            write!(meaning, " Default: `{}`.", default.to_string().trim_matches('"')).unwrap();
        }
        if !field.accepted.is_empty() {
            let values: Vec<String> = field
                .accepted
                .iter()
                .map(|value| format!("`{}`", value.to_string().trim_matches('"')))
                .collect();
            write!(meaning, " One of {}.", values.join(", ")).unwrap();
        }
        if field.deprecated {
            meaning.push_str(" Deprecated.");
        }
        writeln!(text, "| `{last}` | {} | {meaning} |", cell(&field.kind)).unwrap();
    }
    for field in below.iter().filter(|field| !leave.contains(&field.field.as_str())) {
        fields_of(text, field, leave);
    }
}

fn fields(written: &mut BTreeMap<String, String>) {
    let pools = "`controlPlane`, each entry of `compute` and `arbiter` have these fields.";
    let machines =
        "The settings of machines in `platform` of a pool; `defaultMachinePlatform` has the same fields.";
    let parts: [(&str, &str, &str, &[&str]); 7] = [
        ("cluster", "Fields of the cluster", "", &[""]),
        ("networking", "Fields of networking", "", &["networking"]),
        ("pools", "Fields of machine pools", pools, &["compute[]"]),
        ("aws", "Fields of AWS", "", &["platform.aws"]),
        ("pools-aws", "Fields of machines on AWS", machines, &["compute[].platform.aws"]),
        ("azure", "Fields of Azure", "", &["platform.azure"]),
        ("pools-azure", "Fields of machines on Azure", machines, &["compute[].platform.azure"]),
    ];
    // What has a page of its own, or is like what has one.
    let leave = [
        "networking",
        "controlPlane",
        "compute",
        "compute[]",
        "arbiter",
        "platform",
        "compute[].platform.aws",
        "compute[].platform.azure",
        "platform.aws.defaultMachinePlatform",
        "platform.azure.defaultMachinePlatform",
    ];
    for (path, title, note, starts) in parts {
        let mut text = format!(
            "# {title}\n\n{NOTE}\n`landfall explain FIELD` prints the same for one field, with the rules that look \
             at it; `landfall schema` prints the JSON Schema.\n"
        );
        if !note.is_empty() {
            writeln!(text, "\n{note}").unwrap();
        }
        for start in starts {
            let doc = field(start).expect("the field exists");
            fields_of(&mut text, &doc, &leave);
        }
        written.insert(format!("fields/{path}.md"), text);
    }
}

/// A list with the actions of each service, which is the part of an action before `separator`.
fn actions_by_service<'a>(actions: impl Iterator<Item = &'a str>, separator: char) -> String {
    let mut services: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for action in actions {
        services.entry(action.split(separator).next().unwrap_or_default()).or_default().insert(action);
    }
    let mut list = String::new();
    for (service, actions) in services {
        let actions: Vec<String> = actions.iter().map(|action| format!("`{action}`")).collect();
        writeln!(list, "- **{service}**: {}", actions.join(", ")).unwrap();
    }
    list
}

fn permissions(written: &mut BTreeMap<String, String>) {
    let catalogue = Catalogue::embedded();
    let newest = catalogue.permission_rule(catalogue.newest_release().expect("there is a release"));
    let mut text = format!(
        "# Permissions on AWS\n\n{NOTE}\nThe actions of the newest release, by what the config asks for. \
         `landfall create permissions-policy --dir DIR` prints the IAM policy for one config; \
         [Grant permissions](../how-to/permissions.md) says how to use it.\n"
    );
    for (group, actions) in &catalogue.aws.permissions[newest] {
        writeln!(text, "\n## {group}\n").unwrap();
        text.push_str(&actions_by_service(actions.iter().map(String::as_str), ':'));
    }
    written.insert("permissions-aws.md".to_owned(), text);

    let file = include_str!("../../../crates/azure/src/data/permissions.json");
    let groups: BTreeMap<String, BTreeSet<String>> = serde_json::from_str(file).unwrap();
    let mut text = format!(
        "# Permissions on Azure\n\n{NOTE}\nThe actions by what the config asks for. `landfall create \
         permissions-policy --dir DIR` prints the custom role for one config; \
         [Grant permissions](../how-to/permissions.md) says how to assign it.\n"
    );
    for (group, actions) in groups {
        writeln!(text, "\n## {group}\n").unwrap();
        text.push_str(&actions_by_service(actions.iter().map(String::as_str), '/'));
    }
    written.insert("permissions-azure.md".to_owned(), text);
}

fn files(written: &mut BTreeMap<String, String>) {
    let mut text = format!(
        "# Generated files\n\n{NOTE}\nWhat each file of a cluster is generated from; `landfall graph` draws it. \
         [The cluster directory](../cluster-directory.md) describes all other files, modes and journals.\n\n\
         ![The files of a cluster](../pictures/graph.svg)\n\n| file | generated from |\n|---|---|\n"
    );
    for asset in ASSETS.iter().filter(|asset| asset.kind == Kind::File) {
        let from: Vec<String> = asset.needs.iter().map(|need| format!("`{need}`")).collect();
        writeln!(text, "| `{}` | {} |", asset.name, from.join(", ")).unwrap();
    }
    written.insert("files.md".to_owned(), text);
}

fn outside(written: &mut BTreeMap<String, String>) {
    let mut text = format!(
        "# What Azure Service Operator does not do\n\n{NOTE}\n`landfall explain --engine aso` prints this table.\n\n\
         | what | by | how |\n|---|---|---|\n"
    );
    for one in outside::outside() {
        writeln!(text, "| {} | {} | {} |", one.what, one.by, one.how.replace('|', "\\|")).unwrap();
    }
    written.insert("aso-limits.md".to_owned(), text);
}

/// An environment with nothing in it.
#[cfg(all(feature = "aws", feature = "azure"))]
struct Nothing;

#[cfg(all(feature = "aws", feature = "azure"))]
impl landfall_platform::World for Nothing {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn file(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

/// The checks of a config, in the order of a report.
#[cfg(all(feature = "aws", feature = "azure"))]
fn checks_of(file: &str) -> String {
    use std::time::Duration;

    use landfall_install_config::platforms::named;
    use landfall_install_config::verdict::{Strictness, judge_keeping};
    use landfall_model::plan::Engine;
    use landfall_platform::cloud::{Asking, Patience};

    let catalogue = Catalogue::embedded();
    let text =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/quickstart").join(file)).unwrap();
    let verdict = judge_keeping(&text, Strictness::default(), catalogue);
    let (config, given) = (verdict.config.unwrap(), verdict.given.unwrap());
    let cloud = named(file.trim_end_matches(".yaml")).and_then(landfall_platform::Platform::cloud).unwrap();
    let session = cloud.session(Asking {
        config: &config,
        given: &given,
        catalogue,
        release: catalogue.default_release().unwrap(),
        installed: false,
        own_records: &[],
        checked: true,
        engine: Engine::default(),
        world: &Nothing,
        patience: Patience { connect: Duration::from_secs(1), call: Duration::from_secs(1), at_once: 1 },
    });
    let mut rows = String::from("\n| check | field | codes of planning |\n|---|---|---|\n");
    let early = session.foundations().into_iter().chain(session.checks());
    for (id, field) in early.map(|check| (check.id, check.field)) {
        writeln!(rows, "| `{id}` | {} | |", name(&field)).unwrap();
    }
    for judged in session.judged() {
        let codes: Vec<String> =
            judged.codes.iter().map(|code| format!("[{code}](../codes/{code}.md)")).collect();
        writeln!(rows, "| `{}` | {} | {} |", judged.id, name(judged.field), codes.join(", ")).unwrap();
    }
    rows
}

/// A field in backquotes, or nothing.
#[cfg(all(feature = "aws", feature = "azure"))]
fn name(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("`{field}`") }
}

#[cfg(all(feature = "aws", feature = "azure"))]
fn checks(written: &mut BTreeMap<String, String>) {
    let text = format!(
        "# Checks of preflight\n\n{NOTE}\nThe checks of `landfall preflight` for the configs in \
         `testdata/quickstart`, in the order of a report. Quotas follow, and further checks where a config names \
         keys, roles, images or networks: [the contract](contract/preflight.md) lists when each runs, with all its codes.\n\n## AWS\n{}\n## Azure\n{}",
        checks_of("aws.yaml"),
        checks_of("azure.yaml")
    );
    written.insert("checks.md".to_owned(), text);
}

fn schemas(written: &mut BTreeMap<String, String>) {
    let schemas = [
        ("install-config", landfall_model::config::schema::schema()),
        ("facts", landfall_model::facts::schema()),
        ("catalogue", landfall_model::catalogue::schema()),
        ("prices", landfall_model::prices::schema()),
    ];
    for (name, schema) in schemas {
        written.insert(format!("schemas/{name}.schema.json"), format!("{schema:#}\n"));
    }
    let mut text = format!(
        "# JSON output\n\n{NOTE}\nThe JSON Schema of what each command prints with `-o json`. Commands that print a \
         list print one object a line. [The contract](../contract.md) explains the keys.\n\n| command | schema |\n|---|---|\n"
    );
    let rows = [("`defaults`", "install-config"), ("`facts`", "facts"), ("`facts --prices`", "prices")];
    let outputs = landfall::formats::schemas();
    let all = outputs.iter().map(|(name, schema)| (described(schema), *name));
    let all = rows.iter().map(|(command, name)| (format!("Output of {command}."), *name)).chain(all);
    for (description, name) in all {
        let command = description.trim_start_matches("Output of ").trim_end_matches('.').to_owned();
        writeln!(text, "| {} | [{name}.schema.json](schemas/{name}.schema.json) |", cell(&command)).unwrap();
    }
    for (name, schema) in outputs {
        written.insert(format!("schemas/{name}.schema.json"), format!("{schema:#}\n"));
    }
    written.insert("json-output.md".to_owned(), text);
}

/// What a schema says that it is of.
fn described(schema: &serde_json::Value) -> String {
    schema["description"].as_str().unwrap_or("Output of `graph`.").to_owned()
}

fn exit_codes(written: &mut BTreeMap<String, String>) {
    let mut text = format!(
        "# Exit codes\n\n{NOTE}\nA fleet ends with the largest exit code of its clusters.\n\n\
         | code | meaning | when |\n|---|---|---|\n"
    );
    for exit in landfall::cli::Exit::ALL {
        let (meaning, when) = exit.meaning();
        writeln!(text, "| {} | {} | {} |", exit.number(), cell(meaning), cell(when)).unwrap();
    }
    written.insert("exit-codes.md".to_owned(), text);
}

fn environment(written: &mut BTreeMap<String, String>) {
    use landfall::environment::{COMMANDS_WITHOUT, GROUPS};

    let without: Vec<String> = COMMANDS_WITHOUT.iter().map(|name| format!("`{name}`")).collect();
    let mut text = format!(
        "# Environment variables\n\n{NOTE}\nThese commands print the same in every environment, except with `--cloud-profile-ref`: {}.\n",
        without.join(", ")
    );
    for group in GROUPS.iter() {
        write!(text, "\n## {}\n\n{}\n\n| variable | value |\n|---|---|\n", group.title, group.note).unwrap();
        for (name, value) in &group.variables {
            writeln!(text, "| `{name}` | {} |", cell(value)).unwrap();
        }
    }
    written.insert("environment.md".to_owned(), text);
}

#[test]
fn the_reference_is_that_of_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference");
    let mut written = BTreeMap::new();
    commands(&mut written);
    codes(&mut written);
    fields(&mut written);
    permissions(&mut written);
    files(&mut written);
    outside(&mut written);
    schemas(&mut written);
    exit_codes(&mut written);
    environment(&mut written);
    #[cfg(all(feature = "aws", feature = "azure"))]
    checks(&mut written);
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for (name, text) in &written {
        let path = folder.join(name);
        let text = format!("{}\n", text.trim_end());
        if bless {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        if fs::read_to_string(&path).unwrap_or_default() != text {
            wrong.push(name.as_str());
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 writes what differs: {}", wrong.join(", "));
    for part in ["codes", "commands", "fields", "schemas"] {
        for entry in fs::read_dir(folder.join(part)).unwrap() {
            let name = format!("{part}/{}", entry.unwrap().file_name().to_string_lossy());
            assert!(written.contains_key(&name), "docs/reference/{name} is not generated any more");
        }
    }
}
