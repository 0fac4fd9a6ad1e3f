//! Changes of plans, which have what no example has.

use landfall_model::aws::planned::Network;
use landfall_model::config;
use landfall_model::plan::Plan;

pub(super) fn in_wavelength_zone(plan: &mut Plan) {
    let aws = plan.platform.aws.as_mut().unwrap();
    let Network::New { subnets, .. } = &mut aws.network else { panic!("{:?}", aws.network) };
    let renamed = |zone: &mut String| *zone = zone.replace("us-east-1-nyc-1a", "us-east-1-wl1-nyc-wlz-1");
    for subnet in subnets {
        renamed(&mut subnet.zone);
    }
    for pool in &mut aws.compute {
        for zone in &mut pool.zones {
            renamed(zone);
        }
        let local = std::mem::take(&mut pool.local_zones);
        pool.local_zones = local
            .into_iter()
            .map(|(mut zone, local)| {
                renamed(&mut zone);
                (zone, local)
            })
            .collect();
    }
}

pub(super) fn both_families(plan: &mut Plan) {
    let network = |text: &str| config::Network::Given(text.parse().unwrap());
    let networking = plan.config.networking.get_or_insert_default();
    networking.machine_network.push(config::MachineNetwork { cidr: network("fd00:10::/48") });
    networking.service_network.push(network("fd02::/112"));
}
