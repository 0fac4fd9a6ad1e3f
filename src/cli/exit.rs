//! The exit codes with their meanings: the one table that the program and the reference go by.

use super::Exit;

impl Exit {
    /// That of a cloud that lacks something, or was in trouble and may answer another time.
    #[must_use]
    pub const fn of_cloud(may_pass: bool) -> Self {
        if may_pass { Self::PartWay } else { Self::Unfit }
    }

    /// Every way in which a run can end, by number.
    pub const ALL: [Self; 7] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::NotValid,
        Self::Unfit,
        Self::PartWay,
        Self::Interrupted,
    ];

    /// The exit code.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotValid => 3,
            Self::Unfit => 4,
            Self::PartWay => 5,
            Self::Interrupted => 130,
        }
    }

    /// What the exit code means, in a few words, and which runs end with it, in Markdown.
    #[must_use]
    pub const fn meaning(self) -> (&'static str, &'static str) {
        match self {
            Self::Done => ("done", "`validate`: every file is accepted, with or without warnings"),
            Self::Failed => (
                "failed",
                "a file that cannot be read; a platform without a cloud, such as `none`; no engine, or an engine \
                 that still runs; no confirmation; a timeout of `wait-for`; no cluster to destroy or to gather from; an operator that lost \
                 its lease or cannot listen",
            ),
            Self::Usage => (
                "wrong command line",
                "also an unknown release, an invalid infrastructure ID, an invalid answer in a flag, a missing \
                 terminal for a question, and an `--out` that is an input file",
            ),
            Self::NotValid => (
                "an input file is not valid",
                "install config, facts, overlay, stream, edited manifest, ignition files, kubeconfig, \
                 `metadata.json`, cloud profile, Infrastructure object or ConfigMap; also files that contradict each \
                 other, and the directory of another cluster",
            ),
            Self::Unfit => (
                "the cloud lacks or refuses something that the config needs",
                "also a cloud that cannot be queried for a reason that stays. `preflight`: a check failed. `create cluster`: a check failed; \
                 the engine failed for a reason that does not pass, and no resource exists; resources are missing in \
                 Terraform's state without `--recover`; the management cluster is unfit. `destroy cluster`: the wrong account, region or \
                 subscription; another cluster in the way; an unproven result; a refused deletion. \
                 `destroy find`: a region refused the search",
            ),
            Self::PartWay => (
                "stopped part-way, or the cloud was in trouble: run the same command again",
                "`preflight`, `facts`, `create`: the cloud throttled, failed or did not answer properly, and nothing \
                 else is wrong. `create cluster`: some resources exist. `destroy cluster`: \
                 resources remain, or are not proven to be gone, or the cloud did not answer the first calls. `destroy find`: a region did not answer",
            ),
            Self::Interrupted => (
                "interrupted",
                "Ctrl-C; during the work of an engine or of `destroy cluster` also SIGTERM and SIGHUP",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_the_table_once() {
        let numbers: Vec<u8> = Exit::ALL.into_iter().map(Exit::number).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 130]);
        assert!(Exit::ALL.is_sorted(), "a fleet ends with the largest code of its clusters");
    }
}
