//! What a cluster takes besides the operator's objects: what the operator has no kind for, what is asked of Azure
//! itself, and what others make.

use landfall_model::catalogue::value::shipped;
use serde::{Deserialize, Serialize};

/// Something that is done without an object of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Outside {
    /// What it is.
    pub what: String,
    /// Who does it: `landfall` by calls of Azure itself, the `user`, or the running `cluster`.
    pub by: String,
    /// How it is done.
    pub how: String,
}

/// All that is done without objects, in the order in which it is needed.
#[must_use]
pub fn outside() -> Vec<Outside> {
    shipped(include_str!("data/outside.json"))
}

#[cfg(test)]
mod tests {
    use super::outside;

    #[test]
    fn all_is_described() {
        let all = outside();
        assert_eq!(all.len(), 11);
        for outside in all {
            assert!(["landfall", "user", "cluster"].contains(&outside.by.as_str()), "{}", outside.by);
            assert!(!outside.what.is_empty() && !outside.how.is_empty(), "{}", outside.what);
        }
    }
}
