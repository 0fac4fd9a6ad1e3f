//! The nearest known name to a mistyped one.

/// The candidate closest to `name`, ignoring case, if any is close enough to be what was meant.
///
/// Close enough is a Damerau-Levenshtein distance of at most a third of the longer name, so that short
/// names need a near hit; equal distances go to the first in byte order.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// No known name is near a text as long as this; comparing would only cost time.
    const LONGEST: usize = 80;
    if name.len() > LONGEST {
        return None;
    }
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|c| c.len().abs_diff(wanted.len()) <= c.len().max(wanted.len()) / 3)
        .map(|c| (strsim::damerau_levenshtein(&c.to_lowercase(), &wanted), c))
        .filter(|(distance, c)| *distance <= (c.len().max(wanted.len()) / 3).max(1))
        .min()
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_a_transposed_or_shortened_name() {
        let known = ["serviceEndpoints", "region", "amiID", "subnets"];
        assert_eq!(nearest("serviceEndpoint", known), Some("serviceEndpoints"));
        assert_eq!(nearest("regoin", known), Some("region"));
        assert_eq!(nearest("AMI", known), None);
        assert_eq!(nearest("zzz", known), None);
    }
}
