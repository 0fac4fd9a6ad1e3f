//! What is read of every sort of thing that EC2 describes.

use aws_sdk_ec2::types::Tag;
use landfall_platform::removal::Kind;

use crate::removal::graph::Node;
use crate::removal::known::Known;

/// Something that EC2 describes.
pub(in crate::removal) trait Described {
    /// Its sort, as ARNs name it.
    const SORT: &'static str;

    /// Its kind.
    const KIND: &'static Kind;

    /// Its id.
    fn id(&self) -> Option<&str>;

    /// Its tags.
    fn tags(&self) -> &[Tag];

    /// The VPC that it is in.
    fn vpc(&self) -> Option<&str> {
        None
    }

    /// What it names of other things, without the VPC.
    fn mentions(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether it only seems to be there, or needs no removal of its own.
    fn is_gone(&self) -> bool {
        false
    }

    /// Adds to what is known of its place among the others.
    fn refine(&self, _: &mut Node) {}

    /// Notes what its removal needs to know.
    fn learn(&self, _: &mut Known) {}
}

/// Implements [`Described`] for a type of EC2's SDK, given its sort, its kind, and the methods for its ID and its VPC.
/// Other functions of the trait follow.
macro_rules! described {
    ($type:ident, $sort:literal, $kind:ident, $id:ident $(, $vpc:ident)? $(; $($more:tt)*)?) => {
        impl Described for $type {
            const SORT: &'static str = $sort;
            const KIND: &'static landfall_platform::removal::Kind = &kinds::$kind;

            fn id(&self) -> Option<&str> {
                self.$id()
            }

            fn tags(&self) -> &[aws_sdk_ec2::types::Tag] {
                self.tags()
            }

            $(fn vpc(&self) -> Option<&str> {
                self.$vpc()
            })?

            $($($more)*)?
        }
    };
}

/// Tags as keys and values.
pub(super) fn pairs(tags: &[Tag]) -> impl Iterator<Item = (&str, &str)> {
    tags.iter().filter_map(|tag| Some((tag.key()?, tag.value().unwrap_or_default())))
}

/// A text of its own, where there is one.
pub(super) fn text(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}
