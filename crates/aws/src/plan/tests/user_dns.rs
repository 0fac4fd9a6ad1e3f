use super::*;

fn by_user(mut config: InstallConfig) -> InstallConfig {
    if let Some(platform) = &mut config.platform.aws {
        "Enabled".clone_into(&mut platform.user_provisioned_dns);
    }
    config
}

/// The addresses of the API that a plan has chosen, or what stands against it.
fn chosen(config: &InstallConfig, facts: Facts) -> Result<Vec<String>, Vec<Finding>> {
    let (plan, findings) = planned_with(Catalogue::embedded(), "4.20", config, facts, Source::Cloud, false);
    let plan = plan
        .and_then(|platforms| platforms.aws)
        .filter(|_| findings.iter().all(|finding| !finding.is_error()));
    let plan = plan.ok_or(findings)?;
    Ok(plan.api_addresses.values().map(ToString::to_string).collect())
}

#[test]
fn the_api_has_the_last_address_of_each_new_private_subnet() {
    let addresses = chosen(&by_user(base_config()), Facts { public_zone: None, ..base_facts() });
    assert_eq!(addresses.unwrap_or_default(), ["10.0.63.254", "10.0.127.254"]);
    assert_eq!(chosen(&base_config(), base_facts()).unwrap_or_default(), [""; 0]);
}

#[test]
fn an_existing_subnet_has_a_free_address() {
    let with = |address: &str| {
        let mut facts = existing_facts();
        for subnet in &mut facts.subnets {
            address.clone_into(&mut subnet.api_address);
        }
        chosen(&by_user(existing_config()), facts)
    };
    assert_eq!(with("10.0.1.77").unwrap_or_default(), ["10.0.1.77"]);
    let full = with("").err().unwrap_or_default();
    assert_eq!(places(&full), [("LF0739", "platform.aws.vpc.subnets")]);
    assert_names(message(&full), &[PRIVATE]);
}
