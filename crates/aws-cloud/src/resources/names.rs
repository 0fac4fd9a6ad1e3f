//! Hosted zones and records.

use aws_sdk_route53::types::{
    AliasTarget, Change, ChangeAction, ChangeBatch, HostedZone, HostedZoneConfig, ResourceRecord,
    ResourceRecordSet, RrType, Tag, TagResourceType, Vpc, VpcRegion,
};
use landfall_platform::native::{Failure, Properties, Wanted};
use serde_json::{Value, json};

use super::identities::invalid;
use super::{Item, Made, Resources, is_true, once, pairs, refusal, send, with_id};
use crate::dns::{self, plain};

/// How long a record without an alias is kept by resolvers, in seconds.
const TTL: i64 = 10;

impl Resources<'_> {
    async fn route53(&self) -> Made<&aws_sdk_route53::Client> {
        self.session.route53().await.map_err(|why| Self::unready(&why))
    }

    /// The client for a zone: that of the config may belong to another account.
    async fn route53_for(&self, wanted: &Wanted) -> Made<aws_sdk_route53::Client> {
        let client = self.session.route53_by(is_true(wanted, "private")).await;
        client.map_err(|why| Self::unready(&why))
    }
}

fn bare(id: &str) -> &str {
    id.trim_start_matches("/hostedzone/")
}

async fn tags_of(cx: &Resources<'_>, zone: &str) -> Made<Vec<Tag>> {
    let tags = dns::tags(cx.session, cx.route53().await?, zone).await;
    tags.map_err(|fault| super::failure(&fault))
}

/// The private zones of a domain, or the public ones.
async fn zones_of(cx: &Resources<'_>, domain: &str, private: bool) -> Made<Vec<HostedZone>> {
    let route53 = cx.route53().await?;
    let found =
        send!(cx, "route53:ListHostedZonesByName", route53.list_hosted_zones_by_name().dns_name(domain))?;
    let is_private = |zone: &HostedZone| zone.config().is_some_and(HostedZoneConfig::private_zone);
    let is_wanted = |zone: &HostedZone| is_private(zone) == private && plain(zone.name()) == plain(domain);
    Ok(found.hosted_zones.into_iter().filter(is_wanted).collect())
}

pub(super) async fn zones(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let mut items = Vec::new();
    for zone in zones_of(cx, wanted.text("domain"), true).await? {
        let id = bare(zone.id());
        let tags = tags_of(cx, id).await?;
        let pair = |tag: &Tag| Some((tag.key()?.to_owned(), Value::from(tag.value().unwrap_or_default())));
        let tags = Value::Object(tags.iter().filter_map(pair).collect());
        let known = json!({
            "id": id,
            "domain": plain(zone.name()),
            "token": zone.caller_reference(),
            "tags": tags,
        });
        items.push(Item::new("hosted-zone", known));
    }
    Ok(items)
}

/// The user's public zone of a domain.
pub(super) async fn public_zone(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let domain = wanted.text("domain");
    let found = zones_of(cx, domain, false).await?;
    let item = |zone: &HostedZone| {
        Item::new("given-hosted-zone", json!({ "id": bare(zone.id()), "domain": domain }))
    };
    Ok(found.first().map(item).into_iter().collect())
}

pub(super) async fn no_public_zone(_: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let message = format!("there is no public hosted zone of {} in this account", wanted.text("domain"));
    Err(Failure::Refused(refusal("baseDomain", message)))
}

pub(super) async fn create_zone(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let vpc = Vpc::builder().vpc_region(VpcRegion::from(wanted.text("region"))).vpc_id(wanted.text("vpc"));
    let request =
        once!(aws_sdk_route53, cx.route53().await?).create_hosted_zone().name(wanted.text("domain"));
    let request = request
        .caller_reference(&wanted.token)
        .vpc(vpc.build())
        .hosted_zone_config(HostedZoneConfig::builder().private_zone(true).build());
    match cx.session.answer("route53:CreateHostedZone", request.send()).await {
        Ok(made) => Ok(with_id(made.hosted_zone().map(|zone| bare(zone.id())))),
        Err(fault) => match super::failure(&fault) {
            // An earlier call created it: the next look finds it.
            Failure::Refused(finding) if fault.is("HostedZoneAlreadyExists") => {
                Err(Failure::Unknown(finding))
            }
            failure => Err(failure),
        },
    }
}

pub(super) async fn tag_zone(cx: &Resources<'_>, wanted: &Wanted, outputs: &Properties) -> Made<()> {
    let id = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    let tags = pairs(wanted, "tags").into_iter();
    let tags: Vec<Tag> = tags.map(|(key, value)| Tag::builder().key(key).value(value).build()).collect();
    let request = cx.route53().await?.change_tags_for_resource();
    let request =
        request.resource_type(TagResourceType::Hostedzone).resource_id(id).set_add_tags(Some(tags.clone()));
    send!(cx, "route53:ChangeTagsForResource", request)?;
    // The call has an empty answer, which anything on the way can give as well.
    let have = tags_of(cx, id).await?;
    if tags.iter().all(|tag| have.contains(tag)) {
        Ok(())
    } else {
        Err(super::without_effect("route53:ChangeTagsForResource"))
    }
}

pub(super) async fn records(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let (zone, host, kind) = (wanted.text("zone"), wanted.text("host"), wanted.text("type"));
    let request = cx.route53_for(wanted).await?.list_resource_record_sets().hosted_zone_id(zone);
    let request = request
        .start_record_name(format!("{}.", plain(host)))
        .start_record_type(RrType::from(kind))
        .max_items(1);
    let found = send!(cx, "route53:ListResourceRecordSets", request)?;
    let sets = found.resource_record_sets().iter();
    let sets = sets.filter(|set| plain(set.name()) == plain(host) && set.r#type().as_str() == kind);
    let item = |set: &ResourceRecordSet| {
        let alias = set.alias_target();
        let target = alias.map(AliasTarget::dns_name);
        let target = target.or_else(|| set.resource_records().first().map(ResourceRecord::value));
        let mut known = json!({
            "zone": zone,
            "host": host,
            "type": kind,
            "target": target.map(plain).filter(|target| *target != plain(wanted.text("target"))),
        });
        // A target that differs in its form only is the wanted one.
        if known["target"].is_null() {
            known["target"] = wanted.text("target").into();
        }
        if let Some(alias) = alias {
            known["targetZone"] = alias.hosted_zone_id().into();
        }
        Item::new("record", known)
    };
    Ok(sets.map(item).collect())
}

pub(super) async fn create_record(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    change_record(cx, wanted, ChangeAction::Create).await
}

/// Sets an existing record to the wanted target.
pub(super) async fn replace_record(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    change_record(cx, wanted, ChangeAction::Upsert).await
}

async fn change_record(cx: &Resources<'_>, wanted: &Wanted, action: ChangeAction) -> Made<Properties> {
    const CALL: &str = "route53:ChangeResourceRecordSets";
    let broken = |error| invalid(cx, CALL, &error);
    let set =
        ResourceRecordSet::builder().name(wanted.text("host")).r#type(RrType::from(wanted.text("type")));
    let target = wanted.text("target");
    let set = match wanted.text("targetZone") {
        "" => {
            let record = ResourceRecord::builder().value(target).build().map_err(broken)?;
            set.ttl(TTL).resource_records(record)
        }
        zone => {
            let alias = AliasTarget::builder().dns_name(target).hosted_zone_id(zone);
            set.alias_target(alias.evaluate_target_health(false).build().map_err(broken)?)
        }
    };
    let set = set.build().map_err(broken)?;
    let change = Change::builder().action(action).resource_record_set(set);
    let batch = ChangeBatch::builder().changes(change.build().map_err(broken)?);
    let route53 = once!(aws_sdk_route53, cx.route53_for(wanted).await?);
    let request = route53.change_resource_record_sets();
    let request = request.hosted_zone_id(wanted.text("zone")).change_batch(batch.build().map_err(broken)?);
    send!(cx, "route53:ChangeResourceRecordSets", request)?;
    // A later preflight knows the record by its name.
    Ok(Properties::from_iter([("host".to_owned(), wanted.text("host").into())]))
}
