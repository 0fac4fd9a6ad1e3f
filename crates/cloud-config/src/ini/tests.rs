//! What the dialect is, case by case, and that what is written is read back.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;

/// What is read of a value that stands with its `=` behind a name.
fn zone(value: &str) -> Result<String, Unreadable> {
    let mut file = read(format!("[Global]\nZone{value}\n").as_bytes(), Mode::Strict)?;
    Ok(file.global.text("Zone").cloned().unwrap_or_default())
}

/// What the fault is, with its place.
fn fault(text: &str, mode: Mode) -> Option<String> {
    read(text.as_bytes(), mode).err().map(|fault| fault.to_string())
}

/// The lines of the text that is written of this one, but those that always stand there.
fn written(text: &str) -> Result<Vec<String>, Unreadable> {
    let text = write(&read(text.as_bytes(), Mode::Tolerant)?);
    let told = |line: &&str| !line.ends_with("= false") && !line.ends_with("= 0") && *line != "[Global]";
    Ok(text
        .lines()
        .filter(told)
        .map(|line| line.split(' ').filter(|word| !word.is_empty()).collect())
        .collect())
}

#[test]
fn values_end_at_comments_and_lose_outer_white_space() {
    for (text, value) in [
        (" = a", "a"),
        ("\t=\ta b \t\r", "a b"),
        ("=", ""),
        (" = ; all of it", ""),
        (" = a;b", "a"),
        (" = a # b", "a"),
        (" = [x]=:y", "[x]=:y"),
        (" = `a`'b'", "`a`'b'"),
        (" = a\rb", "ab"),
        (" = zürich\u{a0}", "zürich\u{a0}"),
    ] {
        assert_eq!(zone(text).as_deref(), Ok(value), "{text:?}");
    }
}

#[test]
fn quotes_keep_what_is_in_them_and_may_stand_anywhere() {
    for (text, value) in [
        (r#" = "  a ; # b  " "#, "  a ; # b  "),
        (r#" = a "b ;"c # d"#, "a b ;c"),
        (r#" = "a\"b\\c\nd\te""#, "a\"b\\c\nd\te"),
        (r#" = """a`b""""#, "a`b"),
        (r#" = """#, ""),
        (r#" = a\"b"#, "a\"b"),
        (" = \"a\tb\" \t", "a\tb"),
    ] {
        assert_eq!(zone(text).as_deref(), Ok(value), "{text:?}");
    }
    for wrong in [r#" = "a"#, "= \"a\nb\"", r#" = "\q""#, "= \"a\\\nb\"", r" = a\b", " = a\\\rb", "=\\;"] {
        assert!(zone(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_backslash_at_the_end_joins_the_next_line() {
    assert_eq!(zone(" = a\\\n  b").as_deref(), Ok("a  b"));
    assert_eq!(zone(" = a \\\r\n\tb ").as_deref(), Ok("a \tb"));
    assert_eq!(zone(" = a \\\n ; c").as_deref(), Ok("a "));
}

#[test]
fn headers_and_names_have_their_form() {
    for right in [
        "",
        " \t\r\n",
        "[ GLOBAL\t]# c",
        "[Global];c\nzone=a\nZONE = b",
        "[ServiceOverride \"0\"]",
        "[ serviceoverride\"a]\\\"\\\\\" ]",
    ] {
        assert_eq!(fault(right, Mode::Strict), None, "{right:?}");
    }
    for wrong in [
        "[]",
        "[[Global]]",
        "[Global",
        "[Global] Zone = a",
        "[Global]\rZone = a\r",
        "[Global]\nZone a",
        "[Global]\nSubnet_ID = a",
        "[Global]\n1 = a",
        "[Global]\n= a",
        "[ServiceOverride \"\"]",
        "[ServiceOverride \"a\n\"]",
        "[ServiceOverride \"a\\n\"]",
        "[ServiceOverride \"a\" \"b\"]",
        "[\"a\"]",
        "Zone = a",
        "{\"a\":1}",
        "a: b",
        "\u{feff}[Global]",
        "# a\u{feff}b",
        "# a\0b",
    ] {
        assert!(fault(wrong, Mode::Strict).is_some() && fault(wrong, Mode::Tolerant).is_some(), "{wrong:?}");
    }
}

#[test]
fn unknown_names_count_in_one_mode_only() {
    for text in [
        "[Local]\nx = y",
        "[Global]\nFoo = bar",
        "[Global]\nFoo",
        "[Global \"a\"]\nZone = b",
        "[ServiceOverride \"0\"]\nTimeout = 5",
        "[Global]\nElb-Security-Group = a",
        "[Global]\nDisableStrictZoneCheck = maybe",
    ] {
        assert!(fault(text, Mode::Strict).is_some(), "{text:?}");
        assert_eq!(
            written(text).map(|lines| lines.concat().replace("[ServiceOverride\"0\"]", "")).as_deref(),
            Ok("")
        );
    }
    assert_eq!(fault("[Global]\nDisableStrictZoneCheck\nRegion = a", Mode::Strict), None);
    assert!(fault("[Local]\nx = \"y", Mode::Tolerant).is_some());
}

#[test]
fn each_kind_of_variable_takes_its_own_values() {
    let flag = |text: &str| {
        let text = format!("[Global]\nDisableSecurityGroupIngress{text}");
        read(text.as_bytes(), Mode::Strict).map(|file| write(&file).contains("= true")).ok()
    };
    for (text, expected) in
        [("", Some(true)), (" = Yes", Some(true)), ("=ON", Some(true)), ("= 1", Some(true))]
    {
        assert_eq!(flag(text), expected, "{text:?}");
    }
    assert_eq!(["= false", "= nO", "= off", "= 0"].map(flag), [Some(false); 4]);
    assert_eq!(["=", "= t", "= 2", "= maybe"].map(flag), [None; 4]);

    let numbers = [
        ("0", 0),
        ("010", 10),
        ("+7", 7),
        ("-7", -7),
        ("0x2810", 10256),
        (" 5 ", 5),
        ("0x1_0", 16),
        ("-0x80000000", i32::MIN),
        ("2147483647", i32::MAX),
    ];
    for (text, number) in numbers {
        assert_eq!(number_of(text), Ok(number), "{text}");
    }
    for wrong in
        ["", "2147483648", "0x80000000", "0x", "0x-1", "0x+1", "x", "1.0", "1_0", "0xfffffffffffffffff"]
    {
        assert!(number_of(wrong).is_err(), "{wrong}");
    }
    assert!(fault("[Global]\nClusterServiceSharedLoadBalancerHealthProbePort", Mode::Tolerant).is_some());
    assert!(fault("[Global]\nZone", Mode::Tolerant).is_some());
}

#[test]
fn what_is_said_twice_adds_up() {
    let text = "[Global]\nZone = a\nNodeIPFamilies = ipv6\n[ServiceOverride \"b\"]\nURL = u\n\
                [GLOBAL]\nVPC = v\nZone = b\nNodeIPFamilies = ipv4\nNodeIPFamilies = ipv6\nNodeIPFamilies =\n\
                [serviceoverride \"b\"]\nSERVICE = s\n";
    let expected = [
        "Zone=b",
        "VPC=v",
        "NodeIPFamilies=ipv6",
        "NodeIPFamilies=ipv4",
        "",
        "[ServiceOverride\"b\"]",
        "Service=s",
        "URL=u",
    ];
    assert_eq!(written(text).map(|lines| lines.join("|")), Ok(expected.join("|")));
    let emptied =
        written("[Global]\nNodeIPFamilies = a\nNodeIPFamilies\nNodeIPFamilies = b\nZone = a\nZone =\n");
    assert_eq!(emptied, Ok(vec!["NodeIPFamilies=b".to_owned()]));
}

#[test]
fn a_fault_has_a_place_and_cites_nothing() {
    let place = |text: &str| {
        let fault = fault(text, Mode::Tolerant)?;
        assert!(!fault.contains("hidden"), "{fault}");
        fault.split_once(": ").map(|(place, _)| place.to_owned())
    };
    assert_eq!(place("[Global]\n Zone = \"ü\" hidden \"x\n").as_deref(), Some("line 2, column 20"));
    assert_eq!(place("[Global]\n\nhidden_name = x").as_deref(), Some("line 3, column 7"));
    assert_eq!(place("[ServiceOverride \"hidden").as_deref(), Some("line 1, column 19"));
    assert_eq!(place("; a\n\0").as_deref(), Some("line 2, column 1"));
    let broken = read(b"[Global]\nZone = \xff", Mode::Tolerant);
    let place = broken.map_err(|fault| (fault.line, fault.column, fault.what.contains("UTF-8")));
    assert_eq!(place, Err((2, 8, true)));
}

#[test]
fn sections_stand_by_their_headers_and_values_in_the_form_that_is_read() {
    let text = "[ServiceOverride \"b\"]\n[ServiceOverride \"10\"]\nURL = \"h;x\"\nSigningRegion = \" a\"\n\
                [ServiceOverride \"2\"]\nService = a`b\n[ServiceOverride \"a b\"]\n[ServiceOverride \"a\"]\n\
                [ServiceOverride \"a\\\"b\\\\\"]\n[ServiceOverride]\nURL = \"c\\td\"\n\
                Region = \"\\\"\\n`\"\n";
    let expected = "[ServiceOverride]\nRegion = \"\\\"\\n`\"\nURL    = c\td\n\n[ServiceOverride \"10\"]\n\
                    URL           = \"h;x\"\nSigningRegion = \" a\"\n\n[ServiceOverride \"2\"]\n\
                    Service = \"\"\"a`b\"\"\"\n\n[ServiceOverride \"a b\"]\n\n[ServiceOverride \"a\"]\n\n\
                    [ServiceOverride \"a\\\"b\\\\\"]\n\n[ServiceOverride \"b\"]\n";
    let written = read(text.as_bytes(), Mode::Strict).map(|file| write(&file));
    let overrides =
        written.as_ref().map(|text| text.split_once("\n\n").map_or("", |(_, overrides)| overrides));
    assert_eq!(overrides, Ok(expected));
}

/// Any text that the dialect can hold, of the signs that mean something in it more often than of others.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[\"\\\\;#`=\\[\\]\n\t ab]{0,10}", "[^\\x00\\r\\x{FEFF}]{0,10}"]
}

/// Any text that may stand in quotes in a header.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[\"\\\\;#\\] a]{1,6}", "[^\\x00\\n\\x{FEFF}]{0,6}"]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        zone in text(),
        families in vec(text(), 0..4),
        overrides in btree_map(name(), (text(), text()), 0..4)
    ) {
        let mut file = File::default();
        for (key, value) in &mut file.global.0 {
            match value {
                Value::Text(text) if *key == "Zone" => text.clone_from(&zone),
                Value::Flag(flag) => *flag = zone.len() > 3,
                Value::Number(number) => *number = -5,
                Value::List(_) => for family in &families {
                    prop_assert_eq!(value.take(Some(family.clone())), Ok(()));
                },
                Value::Text(_) | Value::OldFlag => {}
            }
        }
        for (name, (service, url)) in overrides {
            let section = file.section("ServiceOverride", Some(name));
            for (key, value) in section.map(|section| section.0.iter_mut()).into_iter().flatten() {
                if let Value::Text(text) = value {
                    text.clone_from(if *key == "URL" { &url } else { &service });
                }
            }
        }
        let written = write(&file);
        prop_assert_eq!(read(written.as_bytes(), Mode::Strict), Ok(file));
    }

    #[test]
    fn a_value_is_read_as_it_was_given(given in text()) {
        prop_assert_eq!(zone(&format!(" = {}", value(&given))), Ok(given));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\[Global\\]\n|Zone|=|\"|\\\\|;|\r|\n|\\[| |\\PC){0,20}") {
        if let Ok(file) = read(text.as_bytes(), Mode::Tolerant) {
            prop_assert_eq!(read(write(&file).as_bytes(), Mode::Strict), Ok(file));
        }
    }
}
