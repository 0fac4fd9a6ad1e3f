//! What a cluster takes besides the operator's objects: what the operator has no kind for, what is asked of Azure
//! itself, and what others make.

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// This program, by calls of Azure itself.
    Landfall,
    /// The user.
    User,
    /// The running cluster.
    Cluster,
}

impl By {
    /// Who that is, in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Landfall => "landfall",
            Self::User => "user",
            Self::Cluster => "cluster",
        }
    }
}

/// Something that is done without an object of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// What it is.
    pub what: &'static str,
    /// Who does it.
    pub by: By,
    /// How it is done.
    pub how: &'static str,
}

/// All that is done without objects, in the order in which it is needed.
pub static OUTSIDE: &[Outside] = &[
    Outside {
        what: "public zone lookup",
        by: By::Landfall,
        how: "`preflight` checks the DNS zone of the base domain and conflicting records, and so does \
              `create cluster` without `--offline` and `--facts`",
    },
    Outside {
        what: "checks of the subscription",
        by: By::Landfall,
        how: "the same two commands check permissions, quotas, locks, machine sizes and existing networks; \
            they only read",
    },
    Outside {
        what: "owner tag of your resource group",
        by: By::User,
        how: "the cluster changes and removes the group in `resourceGroupName` only if it has the tag \
              `kubernetes.io_cluster.<infrastructure id>: owned`",
    },
    Outside {
        what: "role in the group of your network",
        by: By::User,
        how: "in an existing network, the cluster's cloud controller joins your subnets: assign the role \
              Contributor, or Network Contributor, on `networkResourceGroupName` to the identity of the machines",
    },
    Outside {
        what: "image upload",
        by: By::Landfall,
        how: "`create cluster --aso-machines aso` copies the disk image into the storage account; otherwise \
              `azure_image_url` in `terraform/terraform.platform.auto.tfvars.json` says where it is",
    },
    Outside {
        what: "image gallery and image version",
        by: By::Landfall,
        how: "the same command creates them, unless the config sets a Marketplace image; for the controller \
            with pointers, they are yours to create as `aso render --machines aso` names them",
    },
    Outside {
        what: "blob upload",
        by: By::Landfall,
        how: "the same command uploads `bootstrap.ign` to the container `ignition` of the storage account, \
            unless `--aso-ignition-pointer` points elsewhere; so does the controller, unless the Secret of \
            `ignitionSecretRef` has pointers",
    },
    Outside {
        what: "bootstrap machine, control plane",
        by: By::User,
        how: "without `--aso-machines aso`; start them from `bootstrap.ign` and `master.ign`",
    },
    Outside {
        what: "compute machines",
        by: By::Cluster,
        how: "the Machine API creates them from its machine sets once the control plane runs",
    },
    Outside {
        what: "network peerings, VM extensions",
        by: By::User,
        how: "a cluster does not use them: landfall neither creates nor changes them",
    },
    Outside {
        what: "removal of the cluster's own resources",
        by: By::Landfall,
        how: "`destroy cluster` checks Azure once the objects are gone, removes remaining resources with \
            the cluster's tag, and proves that none remain",
    },
];
