//! Whether a test asserts a code: found by reading the sources of the tests, not by their names.

mod flow;
mod sources;

pub use sources::Sources;

use flow::{Scope, asserts};

/// Why the test `path` does not count as one that asserts `code`, if it does not.
pub fn objection(sources: &Sources, path: &str, code: &str) -> Option<String> {
    let tests: Vec<_> = sources.functions().filter(|f| f.path == path).collect();
    let [test] = tests[..] else {
        return Some(format!("{} tests are named {path}", tests.len()));
    };
    if !test.is_test {
        return Some(format!("{path} is no test"));
    }
    let scope = Scope::new(sources, test, code);
    (!asserts(&scope)).then(|| format!("{path} asserts neither `{code}` nor its constant"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Sources, objection};

    const PAGES: &str = r#"
        static GONE: Code = Code::new("LF0001");
        static LATE: Code = Code::new("LF0002");
    "#;

    /// Whether a test with this body asserts LF0001.
    fn counts(body: &str) -> bool {
        let mut sources = Sources::default();
        sources.add(Path::new("src/pages.rs"), PAGES);
        let text = format!(
            r#"
            use crate::pages;
            const CASES: &[(&str, &str)] = &[("a", "LF0001"), ("b", "LF0003")];
            fn check(finding: &Finding, code: &str) {{ assert_eq!(finding.code, code); }}
            fn made(code: &str) -> Finding {{ Finding {{ code: code.to_owned() }} }}
            fn find<'f>(all: &'f [Finding], code: &str) -> &'f Finding {{
                all.iter().find(|one| one.code == code).unwrap()
            }}
            #[test]
            fn shows_it() {{ {body} }}
            "#
        );
        sources.add(Path::new("src/work/tests.rs"), &text);
        objection(&sources, "work::tests::shows_it", "LF0001").is_none()
    }

    #[test]
    fn an_assertion_of_the_code_or_its_constant_counts() {
        for body in [
            r#"assert_eq!(codes(), ["LF0001"]);"#,
            r#"assert!(said.contains("error[LF0001]") && !said.contains("LF0002"));"#,
            r"assert_eq!(*found().code, pages::GONE);",
            r"for (input, code) in CASES { assert_eq!(found(input).code, *code); }",
            r#"for (one, code) in all.iter().zip(["LF0001"]) { check(one, code); }"#,
            r#"check(&found(), "LF0001");"#,
            r#"assert_eq!(find(&all(), "LF0001").field, "a");"#,
            r#"let fails = |input: &str, code: &str| assert_eq!(found(input).code, code); fails("a", "LF0001");"#,
        ] {
            assert!(counts(body), "{body}");
        }
    }

    #[test]
    fn a_mention_is_not_an_assertion() {
        for body in [
            r#"let _code = "LF0001"; assert!(found().is_error());"#,
            r#"assert!(found().is_error(), "LF0001");"#,
            r#"assert!(!codes().contains(&"LF0001"));"#,
            r#"assert_ne!(found().code, "LF0001");"#,
            r#"let finding = made("LF0001"); assert!(finding.is_error());"#,
            r#"made("LF0001"); check(&found(), "LF0002");"#,
            r"for (input, _) in CASES { assert!(found(input).is_error()); }",
            r"assert_eq!(*found().code, pages::LATE);",
        ] {
            assert!(!counts(body), "{body}");
        }
    }
}
