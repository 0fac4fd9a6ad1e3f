//! What a plan is charged for against the modules: machines, gateways, load balancers, addresses and zones are as many
//! as the modules make.

use landfall_model::prices::Item;

use crate::outline::{counted_of, plans, platform_of};

/// Items, and the types of the modules that they are. An address of AWS's load balancers is no resource, and a load
/// balancer without rules costs nothing.
const SAME: &[(&str, Item, &[&str])] = &[
    ("aws", Item::Machine, &["aws_instance"]),
    ("aws", Item::NatGateway, &["aws_nat_gateway"]),
    ("aws", Item::LoadBalancer, &["aws_lb"]),
    ("aws", Item::DnsZone, &["aws_route53_zone"]),
    (
        "azure",
        Item::Machine,
        &["azurerm_linux_virtual_machine", "azurerm_resource_group_template_deployment"],
    ),
    ("azure", Item::NatGateway, &["azurerm_nat_gateway"]),
    ("azure", Item::PublicAddress, &["azurerm_public_ip"]),
    ("azure", Item::DnsZone, &["azurerm_private_dns_zone"]),
];

#[test]
fn charges_are_of_what_the_modules_make() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (name, plan) in plans() {
        let platform = platform_of(&plan);
        let (charges, made) = (platform.charges(&plan), counted_of(&plan));
        assert!(!charges.charges.is_empty() && !charges.not_counted.is_empty(), "{name}");
        for stage in platform.stages() {
            assert_eq!(charges.temporary.contains(&stage.name), stage.only_for_bootstrap, "{name}");
            for (_, item, types) in SAME.iter().filter(|(known, ..)| *known == platform.name()) {
                let own =
                    charges.charges.iter().filter(|c| c.stage == Some(stage.name) && c.key.item == *item);
                let count: u64 = own.map(|charge| u64::from(charge.count)).sum();
                let keys = types.iter().map(|kind| (stage.name.to_owned(), (*kind).to_owned()));
                let wanted: u64 = keys.map(|key| made.get(&key).copied().unwrap_or_default()).sum();
                // Azure has each address in both families then, and charges nothing for those of IPv6.
                let free = *item == Item::PublicAddress && name.contains("both families");
                let wanted = if free { wanted / 2 } else { wanted };
                seen += wanted;
                if count != wanted {
                    wrong.push(format!("{name}: {} of {}: {count}, not {wanted}", item.name(), stage.name));
                }
            }
        }
        let later = charges.charges.iter().filter(|c| c.stage.is_none() && c.key.item == Item::Machine);
        let later: u32 = later.map(|charge| charge.count).sum();
        let outline = platform.outline(&plan);
        let machines = outline.later.iter().filter(|later| later.kind == "Compute machine");
        let wanted: u32 = machines.map(|later| later.count).sum();
        if later != wanted {
            wrong.push(format!("{name}: {later} compute machines, not {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 100, "only {seen} resources were seen");
}

/// Of each machine there is a disk or a volume of its pool.
#[test]
fn a_machine_has_a_disk() {
    for (name, plan) in plans() {
        let charges = platform_of(&plan).charges(&plan).charges;
        let of = |items: &[Item]| -> u64 {
            let own = charges.iter().filter(|c| items.contains(&c.key.item) && c.kind != "Data disk");
            own.map(|charge| u64::from(charge.count)).sum()
        };
        assert_eq!(of(&[Item::Machine]), of(&[Item::Volume, Item::Disk]), "{name}");
        for charge in charges.iter().filter(|charge| charge.count > 0) {
            assert!(charge.each > 0, "{name}: {charge:?}");
        }
    }
}
