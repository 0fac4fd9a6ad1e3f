//! The bases of examples: small accepted files, one for each platform that examples are of.

/// The config that the examples of a page start from: a small accepted file of that platform, in which
/// the example's top-level keys replace the base's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// An AWS cluster in `us-east-1`.
    Aws,
    /// An Azure cluster in the public cloud.
    Azure,
    /// An Azure Stack Hub cluster.
    AzureStack,
    /// Platform `none`.
    None,
    /// Platform `external`.
    External,
    /// The example is the whole file.
    Whole,
}

impl Base {
    /// The base that a page names so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "aws" => Self::Aws,
            "azure" => Self::Azure,
            "azure-stack" => Self::AzureStack,
            "none" => Self::None,
            "external" => Self::External,
            _ => return None,
        })
    }

    /// The text of the base file.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Aws => include_str!("base/aws.yaml"),
            Self::Azure => include_str!("base/azure.yaml"),
            Self::AzureStack => include_str!("base/azure-stack.yaml"),
            Self::None => include_str!("base/none.yaml"),
            Self::External => include_str!("base/external.yaml"),
            Self::Whole => "",
        }
    }

    /// The base with the example's top-level keys in place of its own.
    ///
    /// Works on lines: a top-level key begins in the first column and owns all that follows up to the
    /// next one. `example` must be written so.
    #[must_use]
    pub fn with(self, example: &str) -> String {
        let given: Vec<&str> = blocks(example).iter().map(|(key, _)| *key).collect();
        let mut text = String::new();
        for (key, block) in blocks(self.text()) {
            if !given.contains(&key) {
                text.push_str(block);
            }
        }
        text.push_str(example);
        text
    }
}

/// Splits a text into its top-level keys, each with all its lines.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut starts: Vec<usize> = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let first = line.chars().next();
        if first.is_some_and(|c| c.is_ascii_alphabetic()) {
            starts.push(offset);
        }
        offset += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            let block = &text[*start..end];
            (block.split(':').next().unwrap_or(block), block)
        })
        .collect()
}
