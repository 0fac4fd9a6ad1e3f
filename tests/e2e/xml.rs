//! The XML that AWS answers with, as a tree without attributes.

use std::collections::BTreeMap;

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    name: String,
    text: String,
    children: Vec<Self>,
}

/// What stands where nothing is.
static NOTHING: Node = Node { name: String::new(), text: String::new(), children: Vec::new() };

impl Node {
    /// A document; the element that it consists of is its only child.
    pub fn of(xml: &str) -> Self {
        let mut open = vec![Self::default()];
        let mut rest = xml;
        while let Some((before, after)) = rest.split_once('<') {
            let (tag, next) = after.split_once('>').unwrap_or((after, ""));
            rest = next;
            open.last_mut().unwrap().text.push_str(&unescaped(before.trim()));
            if tag.starts_with(['?', '!']) {
                continue;
            }
            if !tag.starts_with('/') {
                let name = tag.trim_end_matches('/').split_whitespace().next().unwrap_or_default();
                open.push(Self { name: name.to_owned(), ..Self::default() });
            }
            if tag.starts_with('/') || tag.ends_with('/') {
                let done = open.pop().unwrap();
                open.last_mut().expect("an element that was never opened").children.push(done);
            }
        }
        assert_eq!(open.len(), 1, "elements are left open: {xml}");
        open.pop().unwrap()
    }

    /// What stands at a path of names, the first one where there are several; nothing where there is none.
    pub fn at(&self, path: &str) -> &Self {
        let step = |node: &'_ Self, name: &str| node.children.iter().position(|child| child.name == name);
        let mut node = self;
        for name in path.split('/') {
            match step(node, name) {
                Some(at) => node = &node.children[at],
                None => return &NOTHING,
            }
        }
        node
    }

    /// The text at a path; empty where there is none.
    pub fn says(&self, path: &str) -> &str {
        &self.at(path).text
    }

    /// The elements of the list at a path.
    pub fn list(&self, path: &str) -> &[Self] {
        &self.at(path).children
    }

    /// The first element of a name, however deep; nothing where there is none.
    pub fn find(&self, name: &str) -> &Self {
        let found = |child: &'_ Self| child.name == name;
        if let Some(at) = self.children.iter().position(found) {
            return &self.children[at];
        }
        let deeper = self.children.iter().map(|child| child.find(name));
        let mut deeper = deeper.filter(|node| !node.name.is_empty());
        deeper.next().unwrap_or(&NOTHING)
    }

    /// The texts at a path below each of the elements of the list that is called so, however deep it stands.
    pub fn all(&self, list: &str, path: &str) -> Vec<String> {
        self.find(list).children.iter().map(|item| item.says(path).to_owned()).collect()
    }

    /// The same without the elements of these names.
    pub fn without(&self, names: &[&str]) -> Self {
        let kept = self.children.iter().filter(|child| !names.contains(&child.name.as_str()));
        let children = kept.map(|child| child.without(names)).collect();
        Self { name: self.name.clone(), text: self.text.clone(), children }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its own text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its elements.
    pub fn children(&self) -> &[Self] {
        &self.children
    }

    /// Its tags, whichever service it is of.
    pub fn tags(&self) -> BTreeMap<String, String> {
        let tag = |tag: &Self| {
            let one_of = |lower: &str, upper: &str| {
                let said = if tag.at(lower) == &NOTHING { tag.says(upper) } else { tag.says(lower) };
                said.to_owned()
            };
            (one_of("key", "Key"), one_of("value", "Value"))
        };
        let lists = ["tagSet", "Tags", "TagSet"].iter().flat_map(|list| self.list(list));
        lists.map(tag).collect()
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&amp;", "&")
}

#[test]
fn a_document_is_read() {
    let read = Node::of(
        "<?xml version=\"1.0\"?>\n<R xmlns=\"http://a/b\">\n<s><item><key>a</key><value/></item></s><n>1 &lt; 2</n></R>",
    );
    assert_eq!(read.says("R/n"), "1 < 2");
    assert_eq!(read.find("s").children().len(), 1);
    assert_eq!(read.all("s", "key"), ["a"]);
    assert_eq!(read.at("R/none/s"), &NOTHING);
}
