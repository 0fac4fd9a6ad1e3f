//! The table of the clusters that were found, and of the places that could not be searched.

use crate::ui::layout::grid;
use crate::ui::{Style, printable};

/// A cluster, or a place without an answer.
pub(super) struct Entry<'e> {
    /// The profile that was used; none where none was named.
    pub(super) profile: Option<&'e str>,
    /// The account; none where it is not known.
    pub(super) account: Option<&'e str>,
    /// The infrastructure id; none of a place without an answer.
    pub(super) infra_id: Option<&'e str>,
    /// The region.
    pub(super) region: &'e str,
    /// The number of its resources, or why there is none.
    pub(super) seen: String,
}

/// The table, with the columns that its entries have.
pub(super) fn listing(entries: &[Entry<'_>], has_accounts: bool, style: Style) -> String {
    let has_profiles = entries.iter().any(|entry| entry.profile.is_some());
    let mut header = vec!["INFRA ID", "REGION", "RESOURCES SEEN"];
    if has_accounts {
        header.insert(0, "ACCOUNT");
    }
    if has_profiles {
        header.insert(0, "PROFILE");
    }
    let row = |entry: &Entry<'_>| {
        let mut row =
            vec![printable(entry.infra_id.unwrap_or("-")), printable(entry.region), entry.seen.clone()];
        if has_accounts {
            row.insert(0, printable(entry.account.unwrap_or("unknown")));
        }
        if has_profiles {
            row.insert(0, printable(entry.profile.unwrap_or_default()));
        }
        row
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    grid(&header, &[header.len() - 1], &rows, style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_and_numbers_align_at_every_width() {
        let entry = |profile, account, infra_id, region, seen: &str| Entry {
            profile: Some(profile),
            account,
            infra_id,
            region,
            seen: seen.to_owned(),
        };
        let entries = [
            entry(
                "production",
                Some("123456789012"),
                Some("payments-and-billing-x7k2p"),
                "ap-southeast-1",
                "131",
            ),
            entry("production", Some("123456789012"), Some("demo-a1b2c"), "us-east-1", "7"),
            entry("staging", None, None, "eu-central-1", "search refused"),
        ];
        for columns in [80, 100, 120] {
            let table = listing(&entries, true, Style::new(false, Some(columns)));
            for word in ["payments-and-billing-x7k2p", "production", "ap-southeast-1", "123456789012"] {
                assert!(table.contains(word), "{columns}: {table}");
            }
            assert!(table.lines().all(|line| line.chars().count() <= columns), "{columns}: {table}");
            landfall_testing::assert_text(&format!("terminal-{columns}-destroy-find"), &table);
        }
        let alone = [Entry { profile: None, ..entry("", None, Some("demo-a1b2c"), "us-east-1", "7") }];
        let table = listing(&alone, false, Style::PLAIN);
        assert_eq!(table, "INFRA ID    REGION     RESOURCES SEEN\ndemo-a1b2c  us-east-1               7\n");
    }
}
