//! Names of the DNS, and the records of a hosted zone.

use aws_sdk_route53::Client;
use aws_sdk_route53::types::{ResourceRecordSet, ResourceTagSet, Tag, TagResourceType};

use super::fault::Fault;
use super::session::Session;

/// The call for the records of a zone.
pub(super) const LIST: &str = "route53:ListResourceRecordSets";

/// The most pages of a list that are read, should a server never come to an end.
const MOST_PAGES: usize = 10_000;

/// A name of the DNS without its final dot, in lower case.
pub(super) fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether a name is a domain or below it.
pub(super) fn is_within(name: &str, domain: &str) -> bool {
    let (name, domain) = (plain(name), plain(domain));
    let rest = name.strip_suffix(domain.as_str()).filter(|_| !domain.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a name is below a domain, and not the domain itself.
pub(super) fn is_below(name: &str, domain: &str) -> bool {
    is_within(name, domain) && plain(name) != plain(domain)
}

/// The records of a zone that are of a domain or below it, or all without a domain. Once there are enough, no further
/// page is read.
pub(super) async fn records(
    session: &Session<'_>,
    client: &Client,
    zone: &str,
    domain: Option<&str>,
    is_enough: impl Fn(&[ResourceRecordSet]) -> bool,
) -> Result<Vec<ResourceRecordSet>, Fault> {
    let list = || client.list_resource_record_sets().hosted_zone_id(zone);
    let is_wanted = |name: &str| domain.is_none_or(|domain| is_within(name, domain));
    let mut found: Vec<ResourceRecordSet> = Vec::new();
    // The list is sorted with the labels of names turned round: what is below a domain stands together.
    let mut request = list().set_start_record_name(domain.map(str::to_owned));
    for _ in 0..MOST_PAGES {
        let page = session.answer(LIST, request.send()).await?;
        found.extend(page.resource_record_sets().iter().filter(|set| is_wanted(set.name())).cloned());
        let more = page.is_truncated() && !is_enough(&found);
        let Some(next) = page.next_record_name().filter(|next| more && is_wanted(next)) else {
            break;
        };
        request = list()
            .start_record_name(next)
            .set_start_record_type(page.next_record_type().cloned())
            .set_start_record_identifier(page.next_record_identifier().map(str::to_owned));
    }
    Ok(found)
}

/// The tags of a hosted zone.
pub(super) async fn tags(session: &Session<'_>, client: &Client, zone: &str) -> Result<Vec<Tag>, Fault> {
    const CALL: &str = "route53:ListTagsForResource";
    let request = client.list_tags_for_resource().resource_type(TagResourceType::Hostedzone);
    let answer = session.answer(CALL, request.resource_id(zone).send()).await?;
    Ok(answer.resource_tag_set().map(ResourceTagSet::tags).unwrap_or_default().to_vec())
}
