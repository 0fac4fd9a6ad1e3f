//! The certificate by which the API server knows who judges: made, trusted, kept, renewed; and nobody there.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::users::{ADMINISTRATOR, Refused};
use super::webhook::{
    Webhook, all, amending, bundle, configuration, is_judged, kept, mistrust, secret, trusted,
};
use super::world::{CONTROLLERS, PARENT, PRIVATE, PROJECT, Place, World, base};
use crate::server::other_authority;
use crate::until::until;

const AWS: Place<'_> = Place(PARENT, "", "aws");
const MINE: Place<'_> = Place(PRIVATE, PROJECT, "mine");
const MONTH: i64 = 30 * 24 * 60 * 60;

/// What the secret holds when its certificates are good for another month only: an authority, and a server's.
fn ending() -> Value {
    let end = OffsetDateTime::from_unix_timestamp(Timestamp::now().as_second() + MONTH).unwrap();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, "the authority of last year");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.not_after = end;
    let authority = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    params.not_after = end;
    let certificate = params.signed_by(&key, &issuer).unwrap().pem();
    json!({
        "ca.crt": STANDARD.encode(authority),
        "tls.crt": STANDARD.encode(certificate),
        "tls.key": STANDARD.encode(key.serialize_pem()),
    })
}

/// The certificates of a bundle, the first one first.
fn blocks(bundle: &[u8]) -> Vec<String> {
    pem::parse_many(bundle).unwrap().iter().map(pem::encode).collect()
}

#[test]
#[ignore = "needs an API server"]
fn while_nobody_judges_profiles_are_not_written_and_all_else_is() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let webhooks = [amending(&world), configuration(&world)].map(|object| object["webhooks"].clone());
    for webhook in webhooks.iter().filter_map(Value::as_array).flatten() {
        // An `AzureInfrastructure` can be written without it.
        let is_ours = webhook["rules"][0]["apiGroups"] == json!(["aso.landfall.dev"]);
        let policy = if is_ours { "Ignore" } else { "Fail" };
        assert_eq!(webhook["failurePolicy"], policy, "{webhook}");
        assert_eq!(webhook["sideEffects"], "None", "{webhook}");
        assert_eq!(webhook["admissionReviewVersions"], json!(["v1"]), "{webhook}");
    }
    // Before the first operator begins.
    for (place, spec) in [(MINE, json!({ "parent": "aws" })), (AWS, json!({ "type": "aws" }))] {
        let is_refused = |answer: Result<Value, Refused>| {
            answer.is_err_and(|refused| refused.message.contains("failed calling webhook"))
        };
        // The server learns of the webhooks a moment after they were written.
        let dry = format!("{}?dryRun=All", place.collection());
        until("the webhooks are asked", || {
            is_refused(world.users.call(ADMINISTRATOR, "POST", &dry, &place.object(&spec))).then_some(())
        });
        assert!(is_refused(world.tries(ADMINISTRATOR, place, &spec)));
    }
    let webhook = Webhook::new();
    let mut operator = webhook.start(&world, &controllers);
    world.make(AWS, &base());
    world.make(MINE, &json!({ "parent": "aws" }));
    world.says(MINE, "True", "RenderedCleanly");
    let (authorities, certificates) = (trusted(&world), kept(&world));
    assert!(webhook.shows(&authorities) && !certificates.is_null());

    // After it ended.
    assert_eq!(operator.terminate(), Some(0), "{}", operator.log());
    let log = operator.log();
    assert!(!log.contains("PRIVATE KEY") && log.contains("landfall-webhook"), "{log}");
    let stands = world.version(MINE);
    let limits = json!({ "limits": { "maxNodesTotal": 4 } });
    for place in [MINE, AWS] {
        let late = world.edits(ADMINISTRATOR, place, &limits);
        assert!(late.is_err_and(|refused| refused.message.contains("failed calling webhook")));
    }
    assert_eq!(world.version(MINE), stands);
    world.cluster.server.config_map(PROJECT, "of-others", &json!({ "key": "value" }));

    // The next one goes on with what the last one left.
    let _operator = webhook.start(&world, &controllers);
    world.change(MINE, &limits);
    world.joined(MINE, "/limits/maxNodesTotal", &json!(4));
    assert_eq!(trusted(&world), authorities);
    assert_eq!(kept(&world), certificates);
}

#[test]
#[ignore = "needs an API server"]
fn what_others_make_of_certificates_is_put_right() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let webhook = Webhook::new();
    let operator = webhook.start(&world, &controllers);
    let first = trusted(&world);
    assert!(webhook.shows(&first));

    // Another authority in the configuration.
    mistrust(&world, &other_authority());
    until("the right authority is trusted again", || {
        (trusted(&world) == first && bundle(&amending(&world)) == first).then_some(())
    });
    until("what is written is judged again", || is_judged(&world).then_some(()));

    // No certificates at all.
    let lost = world.cluster.server.call("DELETE", &secret(&world), &Value::Null);
    assert!(lost.is_ok(), "{lost:?}");
    let second = until("there are new certificates", || {
        let new = trusted(&world);
        (new != first && webhook.shows(&new)).then_some(new)
    });
    assert!(!webhook.shows(&first));
    until("what is written is judged again", || is_judged(&world).then_some(()));

    // Some that end soon: they are trusted until the new ones are shown everywhere.
    let ending = ending();
    world.cluster.server.change(&secret(&world), &json!({ "data": ending }));
    let third = until("the certificates are renewed", || {
        let new = trusted(&world);
        let newest = blocks(&new).first()?.clone();
        (new != second && webhook.shows(newest.as_bytes())).then_some(new)
    });
    let old = STANDARD.decode(ending["ca.crt"].as_str().unwrap_or_default()).unwrap();
    assert_eq!(blocks(&third)[1..], blocks(&old));
    assert_eq!(bundle(&amending(&world)), third);
    assert!(!webhook.shows(&old));
    until("what is written is judged again", || is_judged(&world).then_some(()));
    // One who makes certificates each time would not come to rest.
    world.make(AWS, &base());
    world.make(MINE, &json!({ "parent": "aws" }));
    world.rests(&operator, AWS, MINE);
    assert_eq!(trusted(&world), third);
}

#[test]
#[ignore = "needs an API server"]
fn a_renewal_under_load_refuses_nobody() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let webhook = Webhook::new();
    let mut first = webhook.start(&world, &controllers);
    assert_eq!(first.terminate(), Some(0), "{}", first.log());

    // What is trusted ends soon, and a replica that is gone by now holds the lease: the next one only answers at first.
    let ending = ending();
    world.cluster.server.change(&secret(&world), &json!({ "data": ending }));
    mistrust(&world, ending["ca.crt"].as_str().unwrap());
    let lease = format!(
        "/apis/coordination.k8s.io/v1/namespaces/{}/leases/landfall-operator",
        world.cluster.namespace
    );
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string();
    let held = json!({ "holderIdentity": "another", "leaseDurationSeconds": 40, "renewTime": now });
    world.cluster.server.change(&lease, &json!({ "spec": held }));
    let second = webhook.start(&world, &controllers);
    assert!(!second.leads(), "{}", second.log());

    // One question after the other, until the new certificates are shown, and for a while after that.
    let old = blocks(&STANDARD.decode(ending["ca.crt"].as_str().unwrap()).unwrap());
    let (mut asked, mut after) = (0, None);
    while after.is_none_or(|after| asked < after) {
        assert!(is_judged(&world), "question {asked} was not answered: {}", second.log());
        asked += 1;
        assert!(asked < 100_000, "the certificates are not renewed: {}", second.log());
        let newest = blocks(&trusted(&world)).first().cloned().unwrap_or_default();
        if after.is_none() && !old.contains(&newest) && webhook.shows(newest.as_bytes()) {
            after = Some(asked + 200);
        }
    }
    assert!(second.leads() && asked > 200);
}
