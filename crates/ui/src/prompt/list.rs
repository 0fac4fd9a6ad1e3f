//! A list of items of which one is chosen, with those alone that match what is typed.

use console::Key;

use super::editor::Editor;

/// A list in which a person moves and searches.
#[derive(Debug)]
pub(super) struct List<'i> {
    items: &'i [String],
    /// How many of the last items are shown whatever is typed.
    always: usize,
    /// What is typed; none where the list is not searched.
    query: Option<Editor>,
    /// The items that match, the best first.
    found: Vec<usize>,
    /// The position among those found.
    chosen: usize,
    /// The first of those found that is on the screen.
    first: usize,
}

/// A part of a list, as it is on the screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page<'i> {
    /// The items, and whether one is the chosen one.
    pub(super) items: Vec<(&'i str, bool)>,
    /// How many there are above and below.
    pub(super) hidden: usize,
}

impl<'i> List<'i> {
    /// A short list, in which one item is chosen.
    pub(super) fn of(items: &'i [String], chosen: usize) -> Self {
        let chosen = chosen.min(items.len().saturating_sub(1));
        Self { items, always: 0, query: None, found: (0..items.len()).collect(), chosen, first: 0 }
    }

    /// A list that is searched. The last `always` items are shown whatever is typed.
    pub(super) fn searched(items: &'i [String], always: usize) -> Self {
        Self { always, query: Some(Editor::default()), ..Self::of(items, 0) }
    }

    /// What is typed.
    pub(super) fn query(&self) -> Option<&Editor> {
        self.query.as_ref()
    }

    /// Whether something is typed that no item matches.
    pub(super) fn has_no_match(&self) -> bool {
        self.found.len() <= self.always && self.query.as_ref().is_some_and(|query| !query.text().is_empty())
    }

    /// The number of the chosen item.
    pub(super) fn chosen(&self) -> Option<usize> {
        self.found.get(self.chosen).copied()
    }

    /// Takes a key.
    pub(super) fn press(&mut self, key: &Key) {
        let count = self.found.len().max(1);
        match (key, &mut self.query) {
            (Key::ArrowDown | Key::Tab, _) | (Key::Char('j'), None) => {
                self.chosen = (self.chosen + 1) % count;
            }
            (Key::ArrowUp | Key::BackTab, _) | (Key::Char('k'), None) => {
                self.chosen = (self.chosen + count - 1) % count;
            }
            (Key::PageDown, _) => self.chosen = (self.chosen + PAGE).min(count - 1),
            (Key::PageUp, _) => self.chosen = self.chosen.saturating_sub(PAGE),
            (Key::Home, None) => self.chosen = 0,
            (Key::End, None) => self.chosen = count - 1,
            (key, Some(query)) => {
                let before = query.text();
                query.press(key);
                let text = query.text();
                if text != before {
                    self.found = found(self.items, self.always, &text);
                    self.chosen = 0;
                }
            }
            _ => {}
        }
    }

    /// The part around the chosen item that so many lines have room for.
    pub(super) fn page(&mut self, lines: usize) -> Page<'i> {
        let lines = lines.max(1);
        self.first = self.first.clamp((self.chosen + 1).saturating_sub(lines), self.chosen);
        self.first = self.first.min(self.found.len().saturating_sub(lines));
        let numbered = self.found.iter().enumerate().skip(self.first).take(lines);
        let items: Vec<(&str, bool)> = numbered
            .filter_map(|(place, at)| Some((self.items.get(*at)?.as_str(), place == self.chosen)))
            .collect();
        Page { hidden: self.found.len() - items.len(), items }
    }
}

/// How far a page goes.
const PAGE: usize = 10;

/// The items that match: first those that begin with the text, then those that hold all its words, and where there is
/// none, those that hold its letters in this order.
fn found(items: &[String], always: usize, text: &str) -> Vec<usize> {
    let (wanted, searched) = (text.trim().to_lowercase(), items.len().saturating_sub(always));
    let lower: Vec<String> = items.iter().take(searched).map(|item| item.to_lowercase()).collect();
    let all = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        lower.iter().enumerate().filter(|(_, item)| is(item)).map(|(at, _)| at).collect()
    };
    let starts = |item: &str| item.starts_with(&wanted);
    let mut found = all(&starts);
    found.extend(all(&|item| !starts(item) && wanted.split_whitespace().all(|word| item.contains(word))));
    if found.is_empty() {
        found = all(&|item| {
            let mut letters = item.chars();
            wanted
                .chars()
                .filter(|letter| !letter.is_whitespace())
                .all(|letter| letters.any(|one| one == letter))
        });
    }
    found.extend(searched..items.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<String> {
        ["eu-west-1  Europe (Ireland)", "us-east-1  US East", "us-west-2  US West", "another"]
            .map(str::to_owned)
            .to_vec()
    }

    fn press(list: &mut List<'_>, keys: &str) {
        keys.chars().for_each(|letter| list.press(&Key::Char(letter)));
    }

    #[test]
    fn what_is_typed_finds_beginnings_then_words_then_letters() {
        let items = items();
        let is = |text: &str, wanted: &[usize]| assert_eq!(found(&items, 1, text), wanted, "{text}");
        is("", &[0, 1, 2, 3]);
        is("us", &[1, 2, 3]);
        is("West", &[0, 2, 3]);
        is("us west", &[2, 3]);
        is("ireland", &[0, 3]);
        is("ust2", &[2, 3]);
        is("moon", &[3]);
    }

    #[test]
    fn no_match_is_known_and_cleared() {
        let items = items();
        let mut list = List::searched(&items, 0);
        press(&mut list, "moon");
        assert!(list.has_no_match() && list.chosen().is_none());
        list.press(&Key::ArrowDown);
        list.press(&Key::Char('\u{15}'));
        assert!(!list.has_no_match() && list.chosen() == Some(0));
        let mut list = List::searched(&items, 1);
        assert!(!list.has_no_match());
        press(&mut list, "moon");
        assert!(list.has_no_match() && list.chosen() == Some(3));
    }

    #[test]
    fn keys_move_around_the_list_and_the_page_follows() {
        let items = items();
        let mut list = List::of(&items, 9);
        assert_eq!(list.chosen(), Some(3));
        list.press(&Key::ArrowDown);
        assert_eq!(list.chosen(), Some(0));
        list.press(&Key::Char('k'));
        assert_eq!(list.chosen(), Some(3));
        let page = list.page(2);
        assert_eq!(page, Page { items: vec![(&*items[2], false), (&*items[3], true)], hidden: 2 });
        list.press(&Key::Home);
        assert_eq!(list.page(2).items.first(), Some(&(&*items[0], true)));
        assert_eq!(list.page(9), List::of(&items, 0).page(9));
    }
}
