//! What the kinds of the graph are called for people: the words of the summary, where it has them.

/// Kinds, and what they are called, each on a line.
pub(super) const TITLES: &str = include_str!("../data/titles.txt");

#[cfg(test)]
mod tests {
    use super::TITLES;

    #[test]
    fn each_kind_has_a_title() {
        let titles: Vec<(&str, &str)> = TITLES.lines().filter_map(|line| line.split_once(": ")).collect();
        assert_eq!(titles.len(), 26);
        assert!(titles.is_sorted() && titles.iter().all(|(_, title)| !title.is_empty()));
    }
}
