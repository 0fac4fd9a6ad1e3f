//! The flags of `landfall create cluster --engine aso`, and flags that are another engine's.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use landfall_model::plan;

use super::EngineName;
use super::aso::NAME;
use crate::cli::aso::management::KubeconfigArgs;
use crate::cli::namespace::namespace;
use crate::prepare;

/// How Azure Service Operator makes the cluster.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "With --engine aso")]
pub(super) struct AsoArgs {
    #[command(flatten)]
    pub(super) kubeconfig: KubeconfigArgs,

    /// Namespace of the cluster's objects; default: the infrastructure ID
    #[arg(long, value_name = "NAME", value_parser = namespace)]
    pub(super) namespace: Option<String>,

    /// Who creates the machines; default: as in an earlier run, else none
    #[arg(long, value_enum, value_name = "WHO")]
    aso_machines: Option<Machines>,

    /// Internal address of the API; default in an existing network: chosen by Azure
    #[arg(long, value_name = "ADDRESS")]
    pub(super) api_internal_ip: Option<Ipv4Addr>,

    /// Patch file for objects: a YAML list of `kind`, `name` and `patch` (JSON merge patch)
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) aso_patches: Option<PathBuf>,

    /// Your own pointer to the bootstrap machine's ignition config; default: landfall uploads it
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    aso_ignition_pointer: Option<PathBuf>,
}

/// Who creates the machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Machines {
    /// Another engine
    None,
    /// The operator
    Aso,
}

impl AsoArgs {
    /// The engine as it is noted for a cluster, with or without machines.
    pub(super) fn noted(&self, machines: bool) -> prepare::Engine {
        let namespace = self.namespace.clone().unwrap_or_default();
        prepare::Engine { name: NAME.to_owned(), namespace, machines }
    }

    /// Whether the operator makes the machines, for a cluster of which this is noted.
    pub(super) fn makes_machines(&self, noted: Option<&prepare::Engine>) -> bool {
        match self.aso_machines {
            Some(who) => who == Machines::Aso,
            None => noted.is_some_and(|engine| engine.machines),
        }
    }

    /// The file with the bootstrap machine's ignition config.
    pub(super) fn pointer(&self) -> Option<&Path> {
        self.aso_ignition_pointer.as_deref()
    }

    /// A flag that is given, if any is.
    fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--kubeconfig", self.kubeconfig.kubeconfig.is_some()),
            ("--namespace", self.namespace.is_some()),
            ("--aso-machines", self.aso_machines.is_some()),
            ("--api-internal-ip", self.api_internal_ip.is_some()),
            ("--aso-patches", self.aso_patches.is_some()),
            ("--aso-ignition-pointer", self.aso_ignition_pointer.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

/// A flag of terraform that is given, if any is: whoever gives one without an engine means that one.
pub(super) fn of_terraform(args: &super::Args) -> Option<&'static str> {
    args.terraform.given().or(args.recover.then_some("--recover"))
}

/// What is wrong with flags that are of no use with an engine, by which machines are made or not.
pub(super) fn misplaced(args: &super::Args, engine: EngineName, machines: bool) -> Option<String> {
    let (flag, other) = match engine {
        EngineName::Terraform => (args.aso.given(), plan::Engine::Aso),
        EngineName::Native if args.aso.given().is_some() => (args.aso.given(), plan::Engine::Aso),
        EngineName::Aso | EngineName::Native => (of_terraform(args), plan::Engine::Terraform),
    };
    let engine = plan::Engine::from(engine).name();
    let other = other.name();
    let line = flag.map(|flag| format!("{flag} is for --engine {other}, and the engine is {engine}"));
    let alone = "--aso-ignition-pointer is for machines that the operator creates: use --aso-machines aso";
    line.or_else(|| args.aso.pointer().filter(|_| !machines).map(|_| alone.to_owned()))
}

impl From<plan::Engine> for EngineName {
    fn from(engine: plan::Engine) -> Self {
        match engine {
            plan::Engine::Terraform => Self::Terraform,
            plan::Engine::Aso => Self::Aso,
            plan::Engine::Native => Self::Native,
        }
    }
}

impl From<EngineName> for plan::Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Terraform => Self::Terraform,
            EngineName::Aso => Self::Aso,
            EngineName::Native => Self::Native,
        }
    }
}
