//! What does not go is named with what holds it, while the run goes on and at its end.

use serde_json::Value;

use crate::front::Front;
use crate::listing;
use crate::moto::{image, value};
use crate::site::Site;
use crate::world::World;

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

/// A machine of another cluster in a subnet of this one; its network interface holds the subnet.
fn stranger(world: &World, subnet: &str) -> String {
    let image = image(None, world.region);
    let form = [
        ("ImageId", image.as_str()),
        ("InstanceType", "m6i.xlarge"),
        ("MinCount", "1"),
        ("MaxCount", "1"),
        ("SubnetId", subnet),
        ("TagSpecification.1.ResourceType", "instance"),
        ("TagSpecification.1.Tag.1.Key", "kubernetes.io/cluster/other-x7k2p"),
        ("TagSpecification.1.Tag.1.Value", "owned"),
    ];
    value(&world.moto.ec2(world.region, "RunInstances", &form), "instanceId")
}

/// What stands where nothing is.
static NOTHING: Value = Value::Null;

/// The thing with an id; nothing where there is none.
fn thing<'v>(left: &'v [Value], id: &str) -> &'v Value {
    let end = format!("/{id}");
    let is_it = |thing: &&Value| thing["id"].as_str().is_some_and(|known| known.ends_with(&end));
    left.iter().find(is_it).unwrap_or(&NOTHING)
}

#[test]
#[ignore = "needs moto"]
fn what_cannot_be_removed_is_named_with_its_holder() {
    let world = World::new("us-east-1", FEW);
    let (subnet, vpc) = (world.own("subnet")[0], world.own("VPC")[0]);
    let machine = stranger(&world, subnet);
    let with = world.now();
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let files = site.files();
    let ran = site.destroy(&["--timeout", "45s"]).ends(5);
    // Said while the run went on, to people who watch it.
    assert!(ran.err.contains(&machine), "{ran}");
    let report = ran.json();
    assert_eq!(report["outcome"], "timedOut", "{ran}");
    let left = report["left"].as_array().unwrap();
    let held = thing(left, subnet);
    let holders = held["holders"].as_array().cloned().unwrap_or_default();
    let named = holders.iter().find(|holder| holder.to_string().contains(&machine));
    assert_eq!(named.map(|holder| &holder["own"]), Some(&Value::Bool(false)), "{ran}");
    assert!(held["help"].as_str().is_some_and(|help| !help.is_empty()), "{ran}");
    let waits = thing(left, vpc);
    assert!(waits["why"].as_str().is_some_and(|why| !why.is_empty()), "{ran}");
    assert_eq!(site.files(), files);
    // Nothing of the stranger's was touched, and nothing more is left than must be.
    let now = world.now();
    let key = format!("instance {machine}");
    assert_eq!(now.get(&key), with.get(&key), "{ran}");
    assert!(left.len() < 12, "{ran}");
    let missing = listing::new(&now, &world.before);
    assert!(missing.is_empty(), "{missing:?}");

    world.moto.ec2(world.region, "TerminateInstances", &[("InstanceId.1", machine.as_str())]);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("without the stranger");
}
