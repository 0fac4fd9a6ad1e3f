//! The sentences that a user reads are plain: findings, helps, reports, pages and descriptions of variables have
//! none of the forms that paraphrase a word of the field. CONTRIBUTING.md has the rules.

use std::fs;
use std::path::Path;
use std::process::Command;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use regex_lite::Regex;

/// A form, where it is fine, and what to write in its place.
struct Form {
    pattern: &'static str,
    /// Phrases, in small letters, of which the form may be a part.
    fine: &'static [&'static str],
    instead: &'static str,
}

const FORMS: &[Form] = &[
    Form {
        pattern: r"\b(?:is|are|was|were) no\b",
        fine: &["there is no", "there are no", "there was no", "there were no", " no longer", " no more"],
        instead: "is not a",
    },
    Form { pattern: r"\bsuch\b", fine: &["such as"], instead: "this, these, or the noun" },
    Form { pattern: r"\bof (?:one's|its|their|your|the user's) own\b", fine: &[], instead: "its own ..." },
    Form { pattern: r"\bbe had\b", fine: &[], instead: "is available" },
    Form { pattern: r"\b(?:has|have|had) none\b", fine: &[], instead: "does not have" },
    Form { pattern: r"\bst(?:ands|ood)\b", fine: &["stands by"], instead: "is, exists, or means" },
    Form {
        pattern: r"\b(?:makes|made|make|making)\b",
        fine: &["make sure", "makes sure"],
        instead: "creates, writes, or sends",
    },
    Form { pattern: r"\bthings?\b", fine: &[], instead: "resource, or its name" },
    Form { pattern: r"\btold\b", fine: &[], instead: "reported" },
    Form { pattern: r"\bnobody\b", fine: &[], instead: "is unknown, or who does not" },
    Form { pattern: r"\bnothing was touched\b", fine: &[], instead: "nothing was changed" },
    Form { pattern: r"\brightly\b", fine: &[], instead: "is misconfigured" },
];

/// A form that stays: part of its place, part of its sentence, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/azure/src/cloud/azure_cli.rs", "echo told", "a program of a test"),
    ("crates/net/src/fault.rs", "No such host is known", "a message of operating systems"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What reads oddly in a sentence, each with what to write in its place.
fn odd(sentence: &str) -> Vec<String> {
    let small = sentence.to_lowercase();
    let mut found = Vec::new();
    for form in FORMS {
        let pattern = Regex::new(form.pattern).unwrap();
        for hit in pattern.find_iter(&small) {
            let covers = |phrase: &&str| {
                let start = hit.start().saturating_sub(phrase.len());
                let around = small.get(start..(hit.end() + phrase.len()).min(small.len()));
                around.is_none_or(|around| around.contains(*phrase))
            };
            if !form.fine.iter().any(covers) {
                found.push(format!("`{}`: write `{}`", hit.as_str(), form.instead));
            }
        }
    }
    found
}

/// The texts in code, in their order.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => literals(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// Whether an attribute has words for users: those of lints say why they are there.
fn is_for_users(attribute: &Group) -> bool {
    let name = attribute.stream().into_iter().next().map(|token| token.to_string()).unwrap_or_default();
    !["allow", "expect", "cfg", "cfg_attr", "doc", "ignore"].contains(&name.as_str())
}

/// Code without the attributes that have no words for users.
fn without_lints(tokens: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let starts = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        if starts {
            if let Some(TokenTree::Punct(bang)) = tokens.peek()
                && bang.as_char() == '!'
            {
                tokens.next();
            }
            if let Some(TokenTree::Group(group)) = tokens.peek()
                && group.delimiter() == Delimiter::Bracket
                && !is_for_users(group)
            {
                tokens.next();
                continue;
            }
        }
        kept.push(match token {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), without_lints(group.stream())))
            }
            token => token,
        });
    }
    kept.into_iter().collect()
}

/// The texts in a file of code with their lines, without those of tests.
pub fn texts_of_code(text: &str) -> Vec<(usize, String)> {
    let mut file = syn::parse_file(text).unwrap();
    file.attrs.clear();
    file.items.retain(|item| {
        let code = item.to_token_stream().to_string();
        !code.trim_start().starts_with("# [cfg (test)]") && !code.contains("# [cfg (test)] mod")
    });
    let mut found = Vec::new();
    literals(without_lints(file.into_token_stream()), &mut found);
    found.into_iter().map(|found| (line_of(text, &found), found)).collect()
}

/// The line in which a text begins in its file, 0 if it is written in another way there.
fn line_of(file: &str, text: &str) -> usize {
    let plain = |c: &char| !['\n', '\t', '"', '\\'].contains(c);
    let start: String = text.chars().take_while(plain).take(30).collect();
    file.find(&start).map_or(0, |at| file[..at].lines().count())
}

/// The sentences of a file of code with their lines: the texts that have a blank, without names of values.
fn sentences_of_code(text: &str) -> Vec<(usize, String)> {
    let value = Regex::new(r"\{[^{}]*\}").unwrap();
    let named = |(line, text): (usize, String)| (line, value.replace_all(&text, "{}").into_owned());
    let is_said = |text: &str| text.trim().contains(' ') || ["thing", "things"].contains(&text);
    texts_of_code(text).into_iter().filter(|(_, text)| is_said(text)).map(named).collect()
}

/// The lines of a page without what is code in it.
fn sentences_of_page(text: &str) -> Vec<(usize, String)> {
    let link = Regex::new(r"\]\([^)]*\)").unwrap();
    let (mut found, mut is_code) = (Vec::new(), false);
    for (index, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        if fence || line.starts_with("    ") || is_code {
            is_code ^= fence;
            continue;
        }
        let prose = line.split('`').step_by(2).collect::<Vec<_>>().join("`x`");
        found.push((index + 1, link.replace_all(&prose, "]").into_owned()));
    }
    found
}

/// The descriptions and messages of a file of Terraform.
fn sentences_of_module(text: &str) -> Vec<(usize, String)> {
    let said = |line: &str| {
        let (key, value) = line.split_once('=')?;
        ["description", "error_message"].contains(&key.trim()).then(|| value.trim().to_owned())
    };
    text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, said(line)?))).collect()
}

/// The descriptions of a JSON Schema.
fn sentences_of_schema(text: &str) -> Vec<(usize, String)> {
    let is_said = |line: &&str| line.trim_start().starts_with("\"description\": \"");
    let said = |(index, line): (usize, &str)| (index + 1, line.trim().to_owned());
    text.lines().enumerate().filter(|(_, line)| is_said(line)).map(said).collect()
}

/// The definitions of the kinds that controllers bring, whose descriptions `kubectl explain` shows.
fn definitions() -> Vec<(String, String)> {
    let program = Command::new(env!("CARGO_BIN_EXE_landfall")).args(["operator", "crds"]).output().unwrap();
    let text = String::from_utf8(program.stdout).unwrap();
    assert!(text.contains("description:"), "{text}");
    text.lines().enumerate().map(|(index, line)| (format!("crds:{}", index + 1), line.to_owned())).collect()
}

/// Every sentence with its place.
fn sentences() -> Vec<(String, String)> {
    let mut all = definitions();
    let folders =
        ["src", "crates", "docs", "templates", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "deploy"];
    for folder in folders {
        for entry in walkdir::WalkDir::new(root().join(folder)).sort_by_file_name() {
            let entry = entry.unwrap();
            let path = entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            let is_test = ["/tests/", "/tests.rs", "crates/testing", "/target/", "/benches/"]
                .iter()
                .any(|part| path.contains(part));
            if is_test {
                continue;
            }
            let take: fn(&str) -> Vec<(usize, String)> =
                match entry.path().extension().and_then(|extension| extension.to_str()) {
                    Some("rs") => sentences_of_code,
                    Some("md" | "txt") => sentences_of_page,
                    Some("tf") => sentences_of_module,
                    Some("json") if path.starts_with("docs/") => sentences_of_schema,
                    _ => continue,
                };
            let text = fs::read_to_string(entry.path()).unwrap();
            all.extend(take(&text).into_iter().map(|(line, text)| (format!("{path}:{line}"), text)));
        }
    }
    all
}

#[test]
fn sentences_are_plain() {
    let all = sentences();
    assert!(all.len() > 5000, "only {} sentences were found", all.len());
    let mut used = vec![false; EXCEPTIONS.len()];
    let mut wrong = Vec::new();
    for (place, sentence) in &all {
        for fault in odd(sentence) {
            let excepted =
                EXCEPTIONS.iter().position(|(at, part, _)| place.contains(at) && sentence.contains(part));
            match excepted {
                Some(index) => used[index] = true,
                None => wrong.push(format!("{place}: {fault}\n    {}", sentence.trim())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} sentences:\n{}", wrong.len(), wrong.join("\n"));
    let idle: Vec<_> = EXCEPTIONS.iter().zip(&used).filter(|(_, used)| !**used).map(|(e, _)| e.1).collect();
    assert!(idle.is_empty(), "these exceptions are not needed any more: {idle:?}");
}

#[test]
fn a_planted_sentence_is_found() {
    let planted = [
        "`x` is no URL",
        "give such a key",
        "a service with an endpoint of its own",
        "types that are to be had there",
        "a zone that has none",
        "the cluster stands",
        "landfall makes the files",
        "6 things are left",
        "the finding is told once",
        "nobody knows the region",
        "take other credentials; nothing was touched",
        "it is not set up rightly",
    ];
    for sentence in planted {
        assert_eq!(odd(sentence).len(), 1, "{sentence}: {:?}", odd(sentence));
    }
    for plain in
        ["there is no zone, such as us-east-1a", "it is no longer needed", "make sure that it exists"]
    {
        assert_eq!(odd(plain), Vec::<String>::new(), "{plain}");
    }
    let code = "fn f() { g(format!(\"`{x}` is no URL\")); }\n#[cfg(test)]\nmod tests { fn t() { g(\"it is \
        no URL\") } }\n";
    let found = sentences_of_code(code);
    assert_eq!(found, [(1, "`{}` is no URL".to_owned())]);
    let page = "# A page\n\n```text\nit is no URL\n```\n`is no key` and nobody\n";
    let odd_lines: Vec<usize> = sentences_of_page(page)
        .into_iter()
        .filter(|(_, text)| !odd(text).is_empty())
        .map(|(line, _)| line)
        .collect();
    assert_eq!(odd_lines, [6]);
    assert_eq!(sentences_of_module("  description = \"A thing.\"\n").len(), 1);
    assert_eq!(sentences_of_schema("  \"description\": \"A thing.\",\n  \"type\": \"thing\"\n").len(), 1);
}
