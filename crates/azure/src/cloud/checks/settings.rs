//! Settings of machine pools that name something in the cloud.

use landfall_model::azure::config::MachinePool;
use landfall_model::config::InstallConfig;

/// The section for pools without their own.
const DEFAULT: &str = "platform.azure.defaultMachinePlatform";

/// A value that pools name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting<T> {
    /// The value.
    pub(super) value: T,
    /// Name of the first pool that has it.
    pub(super) pool: String,
    /// Where the config says it.
    pub(super) field: String,
}

/// The distinct values of a setting, in the order of the pools. `leaf` is its path below the pool's section
/// of the platform.
pub(super) fn distinct<T: PartialEq>(
    config: &InstallConfig,
    given: &InstallConfig,
    leaf: &str,
    of: impl Fn(&MachinePool) -> Vec<T>,
) -> Vec<Setting<T>> {
    let mut found: Vec<Setting<T>> = Vec::new();
    for (path, pool) in config.pools() {
        let values = pool.platform.azure.as_ref().map(&of).unwrap_or_default();
        for value in values {
            if found.iter().any(|known| known.value == value) {
                continue;
            }
            let field = field(given, &path, leaf, |settings| of(settings).contains(&value));
            found.push(Setting { value, pool: pool.name.clone(), field });
        }
    }
    found
}

/// The field of a pool's setting: a pool takes from the default machine platform what it does not say
/// itself. `says` tells whether the pool's own section, as it was given, has the value.
pub(super) fn field(
    given: &InstallConfig,
    path: &str,
    leaf: &str,
    says: impl Fn(&MachinePool) -> bool,
) -> String {
    let itself =
        given.pools().any(|(at, pool)| at == path && pool.platform.azure.as_ref().is_some_and(&says));
    let section = if itself { format!("{path}.platform.azure") } else { DEFAULT.to_owned() };
    format!("{section}.{leaf}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::config::MachinePool as Pool;

    fn pool(name: &str, size: &str) -> Pool {
        let mut pool = Pool { name: name.to_owned(), ..Pool::default() };
        pool.platform.azure = Some(MachinePool { vm_size: size.to_owned(), ..MachinePool::default() });
        pool
    }

    fn of(control_plane: Pool, compute: Vec<Pool>) -> InstallConfig {
        InstallConfig { control_plane: Some(control_plane), compute, ..InstallConfig::default() }
    }

    fn sizes(settings: &MachinePool) -> Vec<String> {
        Some(settings.vm_size.clone()).filter(|name| !name.is_empty()).into_iter().collect()
    }

    #[test]
    fn a_value_is_found_once_and_where_it_was_written() {
        let given = of(pool("master", "one"), vec![pool("worker", ""), pool("other", "one")]);
        let config = of(pool("master", "one"), vec![pool("worker", "two"), pool("other", "one")]);
        let found: Vec<String> = distinct(&config, &given, "type", sizes)
            .into_iter()
            .map(|setting| format!("{} {} {}", setting.pool, setting.value, setting.field))
            .collect();
        assert_eq!(
            found,
            [
                "master one controlPlane.platform.azure.type",
                "worker two platform.azure.defaultMachinePlatform.type"
            ]
        );
    }

    #[test]
    fn what_no_pool_names_is_not_found() {
        let config = of(pool("master", ""), Vec::new());
        assert!(distinct(&config, &config, "type", sizes).is_empty());
    }
}
