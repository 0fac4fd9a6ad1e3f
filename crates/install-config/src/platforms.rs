//! The one list of platforms.

use landfall_platform::Platform;

#[cfg(not(feature = "aws"))]
use landfall_aws::PLATFORM as AWS;
#[cfg(feature = "aws")]
use landfall_aws_cloud::PLATFORM as AWS;

/// Every supported platform, in the order in which the first one present becomes active.
pub const PLATFORMS: &[&dyn Platform] = &[
    &AWS,
    &landfall_azure::PLATFORM,
    #[cfg(feature = "toy")]
    &landfall_toy_cloud::PLATFORM,
    &crate::none::PLATFORM,
    &crate::external::PLATFORM,
];

/// The platform of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Platform> {
    PLATFORMS.iter().copied().find(|platform| platform.name() == name)
}

#[cfg(test)]
mod tests {
    use super::PLATFORMS;
    use landfall_platform::removal::Target;

    #[test]
    fn a_platform_without_a_cloud_says_that_nothing_is_removed() {
        let target = Target { infra_id: "demo-abcde".to_owned(), ..Target::default() };
        let without = PLATFORMS.iter().filter(|platform| platform.stages().is_empty());
        let mut refusals = without.map(|platform| platform.config_of(&target).err()).peekable();
        assert!(refusals.peek().is_some());
        for refusal in refusals {
            assert_eq!(refusal.as_ref().map(|finding| finding.code.as_str()), Some("LF1092"));
            assert!(refusal.is_some_and(|finding| finding.message.contains("demo-abcde")));
        }
    }
}
