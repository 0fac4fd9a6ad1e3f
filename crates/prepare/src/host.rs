//! Findings about the machine that landfall runs on.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::catalogue::minor_version;
use landfall_model::config::InstallConfig;
use landfall_platform::World;

const NOT_FIPS: Code = Code::new("LF0660");
/// What Linux says of FIPS mode.
const MODE: &str = "/proc/sys/crypto/fips_enabled";
/// The first release whose installer looks at the host.
const LOOKS_AT_HOST: [u64; 2] = [4, 16];

/// Keys of a cluster in FIPS mode belong on a host in FIPS mode.
pub(super) fn findings(config: &InstallConfig, release: &str, world: &dyn World) -> Findings {
    let mut out = Findings::default();
    let looks = minor_version(release).is_none_or(|own| own >= LOOKS_AT_HOST);
    let is_fips = || world.file(MODE).is_some_and(|mode| mode.starts_with(b"1"));
    if config.fips && looks && !is_fips() {
        let message = "the cluster is to be in FIPS mode, and this host is not";
        let finding = Finding::warning(&NOT_FIPS, Kind::Invalid, "fips", message);
        out.push(finding.help(
            "run landfall on a host in FIPS mode; openshift-install refuses to create Ignition files on this one",
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Host(Option<&'static [u8]>);

    impl World for Host {
        fn variable(&self, _: &str) -> Option<String> {
            None
        }

        fn file(&self, path: &str) -> Option<Vec<u8>> {
            self.0.filter(|_| path == MODE).map(<[u8]>::to_vec)
        }
    }

    #[test]
    fn a_host_that_is_not_in_fips_mode_is_a_warning_from_4_16_on() {
        let config = |fips| InstallConfig { fips, ..InstallConfig::default() };
        let said = |fips, release: &str, mode| findings(&config(fips), release, &Host(mode)).into_vec();
        for mode in [None, Some(&b"0\n"[..])] {
            let found = said(true, "4.16", mode);
            assert_eq!(found.first().map(|one| (one.code.as_str(), one.is_error())), Some(("LF0660", false)));
        }
        assert!(said(true, "4.16", Some(b"1\n")).is_empty());
        assert!(said(true, "4.15", None).is_empty());
        assert!(said(false, "4.19", None).is_empty());
    }
}
