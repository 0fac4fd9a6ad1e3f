//! Every code has a page, and every page an example that breaks the rule and one that keeps it.

use std::collections::BTreeSet;

use landfall::finding::{Base, Page, Severity};
use landfall::verdict::{Outcome, Strictness, judge, pages};

/// Codes whose cause is not a text of a few lines, with the test that shows them.
const SHOWN_ELSEWHERE: &[(&str, &str)] = &[
    ("LF0001", "cli::says_why_a_file_cannot_be_read"),
    ("LF0003", "hostile::refuses_a_file_that_is_too_large"),
    ("LF0004", "hostile::refuses_depth_and_multiplication"),
    ("LF0013", "hostile::cuts_a_list_of_too_many_findings"),
    ("LF0212", "hostile::does_not_compare_thousands_of_networks"),
];

fn codes(text: &str) -> (Outcome, BTreeSet<&'static str>) {
    let verdict = judge(text.as_bytes(), Strictness::default());
    (verdict.outcome, verdict.findings.iter().map(|f| f.page.code).collect())
}

#[test]
fn codes_are_unique_and_well_formed() {
    let mut seen = BTreeSet::new();
    for page in pages() {
        assert!(seen.insert(page.code), "{} stands twice", page.code);
        let digits = page.code.strip_prefix("LF").unwrap_or_default();
        assert!(digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()), "{}", page.code);
        assert!(!page.title.is_empty() && !page.title.ends_with('.'), "{}: title", page.code);
        assert!(page.text.ends_with(['.', '>']), "{}: text", page.code);
    }
    assert!(seen.len() > 90, "only {} codes", seen.len());
}

#[test]
fn every_page_has_examples_or_a_test_that_shows_it() {
    let missing: Vec<&str> = pages()
        .into_iter()
        .filter(|page| page.bad.is_empty() || page.good.is_empty())
        .map(|page| page.code)
        .filter(|code| !SHOWN_ELSEWHERE.iter().any(|(shown, _)| shown == code))
        .collect();
    assert!(missing.is_empty(), "codes without a positive and a negative case: {missing:?}");
}

fn with_examples() -> impl Iterator<Item = &'static Page> {
    pages().into_iter().filter(|page| page.base != Base::Whole)
}

#[test]
fn bad_examples_break_their_rule() {
    let mut wrong = Vec::new();
    for page in with_examples() {
        let text = page.base.with(page.bad);
        let (outcome, found) = codes(&text);
        let stands = match page.severity {
            Severity::Error => outcome != Outcome::Accepted,
            Severity::Warning => outcome == Outcome::Accepted || page.code == "LF0020",
        };
        if !found.contains(page.code) || !stands {
            wrong.push(format!("{}: {outcome:?} {found:?}\n{text}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn good_examples_are_accepted_without_the_code() {
    let mut wrong = Vec::new();
    for page in with_examples() {
        let text = page.base.with(page.good);
        let (outcome, found) = codes(&text);
        if outcome != Outcome::Accepted || found.contains(page.code) {
            wrong.push(format!("{}: {outcome:?} {found:?}\n{text}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bases_are_accepted_without_a_word() {
    for base in [Base::Aws, Base::Azure, Base::AzureStack, Base::None, Base::External] {
        let (outcome, found) = codes(base.text());
        assert_eq!((outcome, found.len()), (Outcome::Accepted, 0), "{base:?} {found:?}");
    }
}
