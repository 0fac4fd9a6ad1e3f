//! `landfall create install-config`.

mod machine_types;
mod objections;
mod questions;

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use landfall_diagnostics::secret::Secret;
use landfall_model::catalogue::Catalogue;
use serde_json::json;

use super::manifests::BasisArgs;
use crate::cli::input::Input;
use crate::cli::{Ended, Exit, Output, Settings};
use crate::prepare::draft::{Answers, Question};
use crate::prepare::{Basis, INSTALL_CONFIG, draft, wizard};
use crate::ui::can_ask;
use crate::workdir::ClusterDir;
use objections::{Objection, objection};
use questions::Stop;

/// Create an install-config.yaml with questions
///
/// Every question has a flag. With all flags but those of machines and publishing, there are no questions; without a
/// terminal, they are required. `landfall validate` accepts the file, and an existing file is never replaced. After Ctrl-C, the
/// same command offers the answers given so far; the pull secret is not kept.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File with the public SSH key for the machines
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    ssh_key_file: Option<String>,

    /// No SSH login to the machines
    #[arg(long, conflicts_with = "ssh_key_file")]
    no_ssh_key: bool,

    /// Platform to install on
    #[arg(long, value_name = "PLATFORM", value_parser = PossibleValuesParser::new(platform_names()))]
    platform: Option<String>,

    /// Cloud on Azure; default: the public cloud
    #[arg(long, value_name = "CLOUD")]
    cloud_name: Option<String>,

    /// Region; `landfall regions` lists them
    #[arg(long, value_name = "REGION")]
    region: Option<String>,

    /// ID of the machines' image on AWS; required in regions without a published one, such as cn-north-1
    #[arg(long, value_name = "ID")]
    ami_id: Option<String>,

    /// Base domain of the cluster's domain
    #[arg(long, value_name = "DOMAIN")]
    base_domain: Option<String>,

    /// Resource group of the base domain's public zone, for Azure
    #[arg(long, value_name = "GROUP")]
    base_domain_resource_group: Option<String>,

    /// Name of the cluster
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Machine type of the control plane; default: the platform's
    #[arg(long, value_name = "TYPE", help_heading = MACHINES)]
    control_plane_type: Option<String>,

    /// Number of control plane machines; default: 3
    #[arg(long, value_name = "NUMBER", help_heading = MACHINES)]
    control_plane_replicas: Option<String>,

    /// Machine type of the compute machines; default: the platform's
    #[arg(long, value_name = "TYPE", help_heading = MACHINES)]
    compute_type: Option<String>,

    /// Number of compute machines; default: 3
    #[arg(long, value_name = "NUMBER", help_heading = MACHINES)]
    compute_replicas: Option<String>,

    /// Publishing of the cluster's endpoints, such as Internal; default: External
    #[arg(long, value_name = "PUBLISH", help_heading = MACHINES)]
    publish: Option<String>,

    /// Pull secret file, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pull_secret_file: Option<PathBuf>,

    #[command(flatten)]
    basis: BasisArgs,
}

/// The heading of the flags that have a usual answer.
const MACHINES: &str = "Machines and publishing";

fn platform_names() -> impl Iterator<Item = &'static str> {
    draft::platforms().map(|(name, _)| name)
}

/// What a new config is made of.
#[derive(Clone, Debug, Default)]
struct Given {
    answers: Answers,
    secret: Option<Secret<String>>,
}

impl Given {
    fn has(&self, question: Question) -> bool {
        match question {
            Question::PullSecret => self.secret.is_some(),
            question => self.answers.get(question).is_some(),
        }
    }

    /// Whether something can be said of the answer to a question: there is one, and the platform is chosen
    /// if it is the platform's to say.
    fn can_judge(&self, question: Question) -> bool {
        let of_platform = matches!(
            question,
            Question::Cloud
                | Question::Region
                | Question::Image
                | Question::ZoneGroup
                | Question::ControlPlaneType
                | Question::ComputeType
        );
        self.has(question) && (!of_platform || self.answers.platform.is_some())
    }

    /// The questions that have no answer and need one.
    fn missing(&self, catalogue: &Catalogue) -> Vec<Question> {
        let needed = |question: &Question| {
            let is_needed = match question {
                Question::Image => self.answers.needs_image(catalogue),
                question => !question.is_optional(),
            };
            is_needed && self.answers.applies(*question) && !self.has(*question)
        };
        Question::ALL.into_iter().filter(needed).collect()
    }
}

/// Asks, and writes the install config of the cluster directory.
///
/// # Errors
/// Something outside of the input went wrong, or there is an install config already.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    if wizard::has_config(&directory) {
        return Err(taken(&directory));
    }
    let basis = args.basis.basis(&directory, settings)?;
    let given = given(args)?;
    for question in Question::ALL.into_iter().filter(|question| given.can_judge(*question)) {
        match objection(question, &given.answers, given.secret.as_ref(), &basis) {
            Some(Objection::Finding(finding)) => {
                return Err(wizard::refused_flag(question.flag(), *finding).into());
            }
            Some(Objection::Words(words)) => {
                return Ok(wrong(ErrorKind::InvalidValue, &format!("{}: {words}", question.flag())));
            }
            None => {
                if let Some(doubt) = machine_types::doubt(question, &given.answers, &basis) {
                    settings.printer.talk(&format!("warning: {}: {doubt}", question.flag()));
                }
            }
        }
    }
    let missing = given.missing(&basis.catalogue);
    if !missing.is_empty() && !can_ask() {
        return Ok(wrong(ErrorKind::MissingRequiredArgument, &unanswered(&missing)));
    }
    let mut cluster = ClusterDir::open(&directory)?;
    let given = if missing.is_empty() {
        given
    } else {
        match questions::ask(given, &cluster, &basis, settings) {
            Ok(given) => given,
            Err(Stop::Stopped) => {
                settings.printer.talk(
                    "stopped: run the same command again to continue with the answers so \
                    far",
                );
                return Ok(Exit::Interrupted);
            }
            Err(Stop::Failed(fault)) => return Err(fault.into()),
        }
    };
    write(&mut cluster, &given, &basis, settings)
}

fn write(cluster: &mut ClusterDir, given: &Given, basis: &Basis, settings: &Settings) -> Result<Exit, Ended> {
    let text = draft::text(&given.answers, given.secret.as_ref(), &basis.catalogue);
    if !wizard::write(cluster, &text, &basis.catalogue)? {
        return Err(taken(cluster.root()));
    }
    let file = cluster.root().join(INSTALL_CONFIG).display().to_string();
    settings.printer.data(&match settings.output {
        Output::Json => {
            let (platform, region) = (&given.answers.platform, &given.answers.region);
            format!("{}\n", json!({ "file": file, "platform": platform, "region": region }))
        }
        _ => format!("{file}: written, next: {}\n", next(settings)),
    })?;
    Ok(Exit::Done)
}

/// The command that goes on from here.
fn next(settings: &Settings) -> String {
    let directory = settings.dir.as_ref().map(|directory| format!(" --dir {}", directory.display()));
    format!("landfall create cluster{}", directory.unwrap_or_default())
}

/// The answers that the command line gives.
fn given(args: &Args) -> anyhow::Result<Given> {
    let ssh_key = match &args.ssh_key_file {
        Some(path) => Some(wizard::ssh_key(path)?),
        None => args.no_ssh_key.then(String::new),
    };
    let secret = args.pull_secret_file.as_ref().map(|path| {
        let bytes = Input::single(path).read().map_err(|finding| anyhow!(finding.message))?;
        let text = Secret::new(String::from_utf8_lossy(&bytes).into_owned());
        anyhow::Ok(draft::one_line(&text))
    });
    let answers = Answers {
        ssh_key,
        platform: args.platform.clone(),
        cloud: args.cloud_name.clone(),
        region: args.region.clone(),
        image: args.ami_id.clone(),
        base_domain: args.base_domain.clone(),
        zone_group: args.base_domain_resource_group.clone(),
        name: args.name.clone(),
        control_plane_type: args.control_plane_type.clone(),
        control_plane_replicas: args.control_plane_replicas.clone(),
        compute_type: args.compute_type.clone(),
        compute_replicas: args.compute_replicas.clone(),
        publish: args.publish.clone(),
    };
    Ok(Given { answers, secret: secret.transpose()? })
}

fn taken(directory: &Path) -> Ended {
    let directory = directory.display();
    anyhow!("{INSTALL_CONFIG} exists in {directory}: edit it, or set another directory with --dir").into()
}

fn unanswered(missing: &[Question]) -> String {
    let flags: Vec<&str> = missing
        .iter()
        .map(|question| match question {
            Question::SshKey => "--ssh-key-file or --no-ssh-key",
            question => question.flag(),
        })
        .collect();
    format!("no terminal for questions: set these flags: {}", flags.join(", "))
}

/// Says what is wrong with the command line, as the parser of it does, with the usage of this command.
fn wrong(kind: ErrorKind, message: &str) -> Exit {
    let mut whole = crate::cli::command();
    whole.build();
    let create = whole.find_subcommand_mut("create");
    let fault = match create.and_then(|create| create.find_subcommand_mut("install-config")) {
        Some(own) => own.error(kind, message),
        None => whole.error(kind, message),
    };
    // There is nobody left to tell when the stream is gone.
    let _ = fault.print();
    Exit::Usage
}
