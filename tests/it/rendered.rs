//! How findings read: one of every code that an example shows, a file for each family of codes under
//! `testdata/rendered`. `BLESS=1` writes the files anew; review the difference.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use landfall::ui;
use landfall::ui::Judged;
use landfall_diagnostics::{Finding, Page, pages};
use landfall_install_config::verdict::{Outcome, Strictness, judge_keeping};
use landfall_model::catalogue::Catalogue;

use crate::create;

/// What the page's bad example is told, with the lines that are meant; what planning finds is not in a file.
fn rendered(page: &Page) -> String {
    let text = page.base.with(page.wrong);
    let verdict = judge_keeping(text.as_bytes(), Strictness::default(), Catalogue::embedded());
    let of_page = |findings: Vec<Finding>| -> Vec<Finding> {
        findings.into_iter().filter(|finding| finding.code.as_str() == page.code).collect()
    };
    let findings = of_page(verdict.findings);
    if findings.is_empty() && verdict.outcome == Outcome::Accepted {
        let (config, given) = (verdict.config.unwrap(), verdict.given.unwrap());
        let planned = of_page(create::planned_offline(&config, &given).into_vec());
        let fields: Vec<&str> = planned.iter().map(|finding| finding.field.as_str()).collect();
        return format!("at {}:\n{}", fields.join(", "), ui::text::placeless(&planned, ui::Style::PLAIN));
    }
    let judged = Judged {
        file: "install-config.yaml",
        text: &text,
        outcome: verdict.outcome,
        findings: &findings,
        mask: &verdict.mask,
    };
    ui::text::findings(&judged, ui::Style::PLAIN)
}

#[test]
fn findings_of_examples_read_as_they_are_kept() {
    let bless = std::env::var_os("BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rendered");
    if bless {
        std::fs::create_dir_all(&folder).unwrap();
    }
    let mut families: BTreeMap<&str, String> = BTreeMap::new();
    for page in pages().into_iter().filter(|page| !page.wrong.is_empty()) {
        let rendered = rendered(&page);
        assert!(rendered.contains(page.code), "the example of {} does not show it", page.code);
        let family = families.entry(&page.code[..4]).or_default();
        writeln!(family, "{}", rendered.trim_end()).unwrap();
        family.push('\n');
    }
    let mut wrong = Vec::new();
    for (family, found) in families {
        let path = folder.join(format!("{family}xx.txt"));
        if bless {
            std::fs::write(&path, &found).unwrap();
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "differs from what is kept (BLESS=1 writes it):\n{}", wrong.join("\n"));
}
