//! Settings of machine pools that name something in the cloud.

use landfall_model::aws::config::MachinePool;
use landfall_model::config::InstallConfig;

/// The section for pools without their own.
const DEFAULT: &str = "platform.aws.defaultMachinePlatform";

/// A value that pools name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The value.
    pub(super) value: String,
    /// Name of the first pool that has it.
    pub(super) pool: String,
    /// Processor architecture of that pool.
    pub(super) architecture: String,
    /// Where the config says it.
    pub(super) field: String,
}

/// The distinct values of a setting, in the order of the pools. `leaf` is its path below the pool's section
/// of the platform.
pub(super) fn distinct(
    config: &InstallConfig,
    given: &InstallConfig,
    leaf: &str,
    of: fn(&MachinePool) -> &str,
) -> Vec<Setting> {
    let mut found: Vec<Setting> = Vec::new();
    for (path, pool) in config.pools() {
        let value = pool.platform.aws.as_ref().map(of).unwrap_or_default();
        if value.is_empty() || found.iter().any(|known| known.value == value) {
            continue;
        }
        // A pool takes from the default machine platform what it does not say itself.
        let itself = given.pools().any(|(at, pool)| {
            at == path && pool.platform.aws.as_ref().is_some_and(|settings| of(settings) == value)
        });
        let section = if itself { format!("{path}.platform.aws") } else { DEFAULT.to_owned() };
        found.push(Setting {
            value: value.to_owned(),
            pool: pool.name.clone(),
            architecture: pool.architecture.clone(),
            field: format!("{section}.{leaf}"),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::config::MachinePool as Pool;

    fn role(settings: &MachinePool) -> &str {
        &settings.iam_role
    }

    fn pool(name: &str, role: &str) -> Pool {
        let mut pool = Pool { name: name.to_owned(), ..Pool::default() };
        pool.platform.aws = Some(MachinePool { iam_role: role.to_owned(), ..MachinePool::default() });
        pool
    }

    fn of(control_plane: Pool, compute: Vec<Pool>) -> InstallConfig {
        InstallConfig { control_plane: Some(control_plane), compute, ..InstallConfig::default() }
    }

    #[test]
    fn a_value_is_found_once_and_where_it_was_written() {
        let given = of(pool("master", "one"), vec![pool("worker", ""), pool("edge", "one")]);
        let config = of(pool("master", "one"), vec![pool("worker", "two"), pool("edge", "one")]);
        let found: Vec<String> = distinct(&config, &given, "iamRole", role)
            .into_iter()
            .map(|setting| format!("{} {} {}", setting.pool, setting.value, setting.field))
            .collect();
        assert_eq!(
            found,
            [
                "master one controlPlane.platform.aws.iamRole",
                "worker two platform.aws.defaultMachinePlatform.iamRole"
            ]
        );
    }

    #[test]
    fn what_no_pool_names_is_not_found() {
        let config = of(pool("master", ""), Vec::new());
        assert!(distinct(&config, &config, "iamRole", role).is_empty());
    }
}
