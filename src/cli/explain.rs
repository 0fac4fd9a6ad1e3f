//! `landfall explain`: a field of the install config, the page of a code, or what an engine leaves to others.

use anyhow::anyhow;
use clap::ValueEnum;
use landfall_diagnostics::{Page, Severity, nearest};
use landfall_engine_aso::outside::outside;
use landfall_model::config::schema::{FieldDoc, field};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Exit, Output, Settings};
use crate::ui::Style;
use crate::ui::layout::{block, table, verbatim};

/// The pools that `<pool>` stands for in the fields of a page.
const POOLS: [&str; 3] = ["controlPlane", "arbiter", "compute"];

/// Explain a field, a code or an engine
///
/// Without an argument, list the fields of the top level.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Path of a field, such as platform.aws.serviceEndpoints, or a code, such as LF0010
    #[arg(value_name = "FIELD|CODE")]
    subject: Option<String>,

    /// List every finding code with its title
    #[arg(long, conflicts_with_all = ["subject", "engine"])]
    list: bool,

    /// List what this engine does not create, and who does
    #[arg(long, value_enum, value_name = "ENGINE", conflicts_with = "subject")]
    engine: Option<Engine>,
}

/// An engine that leaves something to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Azure Service Operator in a management cluster
    Aso,
}

/// Prints what is known of a field, a code or an engine.
///
/// # Errors
/// There is no such field or code, with the nearest that there is; or standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let subject = args.subject.as_deref().unwrap_or_default();
    let style = settings.printer.styles().data;
    let text = if args.list {
        listed(settings.output, style)?
    } else if let Some(Engine::Aso) = args.engine {
        match settings.output {
            Output::Json => json!({ "engine": "aso", "outside": outside() }).to_string(),
            _ => outside_text(style),
        }
    } else if is_code(subject) {
        let page = page(subject)?;
        match settings.output {
            Output::Json => serde_json::to_string(&page)?,
            _ => page_text(&page, style),
        }
    } else {
        let doc = field(subject)?;
        let rules = if doc.field.is_empty() { Vec::new() } else { rules(&doc.field) };
        match settings.output {
            Output::Json => serde_json::to_string(&FieldEntry { doc, rules })?,
            _ => field_text(&doc, &rules, style),
        }
    };
    settings.printer.data(&format!("{}\n", text.trim_end()))?;
    Ok(Exit::Done)
}

/// Every code with its severity and title.
fn listed(output: Output, style: Style) -> anyhow::Result<String> {
    let pages = landfall_diagnostics::pages();
    if let Output::Json = output {
        return Ok(serde_json::to_string(&pages)?);
    }
    let rows: Vec<(String, String)> = pages
        .iter()
        .map(|page| (page.code.to_owned(), format!("{}: {}", severity(page), page.title)))
        .collect();
    Ok(table(&rows, 0, style))
}

/// Whether a subject is meant to be a code: no field is called so.
fn is_code(subject: &str) -> bool {
    subject.split_at_checked(2).is_some_and(|(start, digits)| {
        let numbered = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        numbered && start.eq_ignore_ascii_case("LF")
    })
}

fn page(code: &str) -> anyhow::Result<Page> {
    landfall_diagnostics::page(&code.to_ascii_uppercase()).ok_or_else(|| {
        match nearest(code, landfall_diagnostics::pages().iter().map(|page| page.code)) {
            Some(near) => anyhow!("unknown code `{code}`; did you mean `{near}`?"),
            None => anyhow!("unknown code `{code}`"),
        }
    })
}

/// A rule that looks at a field.
#[derive(Debug, Serialize)]
struct Rule {
    code: &'static str,
    title: &'static str,
}

/// The rules that look at a field or at something below it.
fn rules(field: &str) -> Vec<Rule> {
    let asked = field.replace("[]", "");
    let looks = |page: &Page| page.fields.iter().any(|pattern| looks_at(pattern, &asked));
    landfall_diagnostics::pages()
        .into_iter()
        .filter(looks)
        .map(|page| Rule { code: page.code, title: page.title })
        .collect()
}

/// Whether a page's pattern is the asked field or lies below it. List positions are in neither.
fn looks_at(pattern: &str, asked: &str) -> bool {
    let pattern = pattern.replace("[]", "");
    let Some(setting) = pattern.strip_prefix("<pool>") else { return is_within(&pattern, asked) };
    let mut paths = POOLS.iter().map(|pool| format!("{pool}{setting}"));
    paths.any(|path| is_within(&path, asked)) || shared(setting).is_some_and(|path| is_within(&path, asked))
}

/// The path at which a platform has a pool's setting for all pools.
fn shared(setting: &str) -> Option<String> {
    let (platform, name) = setting.strip_prefix(".platform.")?.split_once('.')?;
    Some(format!("platform.{platform}.defaultMachinePlatform.{name}"))
}

fn is_within(path: &str, asked: &str) -> bool {
    let start = path.get(..asked.len()).is_some_and(|start| start.eq_ignore_ascii_case(asked));
    start && (path.len() == asked.len() || path[asked.len()..].starts_with('.'))
}

#[derive(Serialize)]
struct FieldEntry {
    #[serde(flatten)]
    doc: FieldDoc,
    rules: Vec<Rule>,
}

fn severity(page: &Page) -> &'static str {
    match page.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn page_text(page: &Page, style: Style) -> String {
    let severity = severity(page);
    let title = format!("{} ({severity}): {}", page.code, page.title);
    let mut parts = vec![block(&title, 0, style), block(&page.text, 0, style)];
    if !page.fields.is_empty() {
        parts.push(format!("Fields:\n{}", verbatim(&page.fields.join("\n"), 2)));
    }
    for (heading, example) in [("Wrong", page.wrong), ("Right", page.right)] {
        if !example.is_empty() {
            parts.push(format!("{heading}:\n{}", verbatim(example, 4)));
        }
    }
    parts.join("\n")
}

fn field_text(doc: &FieldDoc, rules: &[Rule], style: Style) -> String {
    let mut parts = Vec::new();
    if doc.field.is_empty() {
        parts.push(block(&doc.description, 0, style));
    } else {
        parts.push(format!("{} ({})\n", doc.field, doc.kind));
        parts.push(block(&doc.description, 2, style));
        parts.push(table(&facts(doc), 2, style));
    }
    if !doc.fields.is_empty() {
        let row = |key: &str, kind: &str, text: &str| (key.to_owned(), format!("{text} ({kind})"));
        let rows: Vec<_> =
            doc.fields.iter().map(|l| row(&l.name, &l.kind, unstopped(&l.description))).collect();
        parts.push(format!("Fields:\n{}", table(&rows, 2, style)));
    }
    if !rules.is_empty() {
        let rows: Vec<_> = rules.iter().map(|r| (r.code.to_owned(), r.title.to_owned())).collect();
        parts.push(format!("Rules (`landfall explain CODE` explains each):\n{}", table(&rows, 2, style)));
    }
    parts.join("\n")
}

fn outside_text(style: Style) -> String {
    let rows =
        outside().into_iter().map(|one| (one.what, format!("{}: {}", one.by, one.how.replace('`', ""))));
    let rows: Vec<(String, String)> = rows.collect();
    format!("What Azure Service Operator does not do, and who does it:\n\n{}", table(&rows, 2, style))
}

/// The first paragraph without its full stop, for a line of a list.
fn unstopped(text: &str) -> &str {
    let first = text.split("\n\n").next().unwrap_or(text);
    first.strip_suffix('.').unwrap_or(first)
}

fn facts(doc: &FieldDoc) -> Vec<(String, String)> {
    let values = |values: &[Value]| values.iter().map(plain).collect::<Vec<_>>().join(", ");
    let several = |list: &[Value]| Some(values(list)).filter(|text| !text.is_empty());
    let rows = [
        ("required", Some(doc.required.clone().unwrap_or_else(|| "no".to_owned()))),
        ("default", doc.default.as_ref().map(plain)),
        ("accepted", several(&doc.accepted)),
        ("pattern", doc.pattern.clone()),
        ("examples", several(&doc.examples)),
        ("deprecated", doc.deprecated.then(|| "yes".to_owned())),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A value as it stands in a file: text without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_fields_and_what_lies_below() {
        assert!(looks_at("platform.aws.serviceEndpoints[].url", "platform.aws.serviceEndpoints"));
        assert!(looks_at("platform.aws.serviceEndpoints[].url", "platform.aws.serviceEndpoints.url"));
        assert!(!looks_at("platform.aws.serviceEndpoints", "platform.aws.service"));
        assert!(!looks_at("platform.aws", "platform.aws.region"));
    }

    #[test]
    fn matches_settings_of_every_pool() {
        for asked in ["controlPlane.replicas", "arbiter", "compute.replicas"] {
            assert!(looks_at("<pool>.replicas", asked), "{asked}");
        }
        assert!(looks_at("<pool>.platform.aws.zones[]", "platform.aws.defaultMachinePlatform.zones"));
        assert!(!looks_at("<pool>.replicas", "platform.replicas"));
    }

    #[test]
    fn tells_codes_from_fields() {
        assert!(is_code("LF0001") && is_code("lf1"));
        assert!(!is_code("platform") && !is_code("LF") && !is_code(""));
    }

    #[test]
    fn what_an_engine_leaves_to_others_is_listed() {
        for outside in outside() {
            assert!(outside_text(Style::PLAIN).contains(&outside.what), "{}", outside.what);
        }
    }

    #[test]
    fn offers_the_nearest_code() {
        let fault = page("LF00011").map(|page| page.code).map_err(|fault| fault.to_string());
        assert!(fault.is_err_and(|text| text.contains("`LF00")));
    }
}
