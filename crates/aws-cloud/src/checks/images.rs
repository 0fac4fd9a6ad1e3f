//! Whether the images that machines start from are there.

use std::collections::BTreeSet;

use aws_sdk_ec2::Client;
use aws_sdk_ec2::types::{ArchitectureValues, BootModeValues, Image, ImageState};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::{InstallConfig, MachinePool as Pool};
use landfall_platform::cloud::{Answer, Asking, Check, check};

use super::pages;
use super::settings::{Setting, distinct};
use crate::fault::{Fault, Sort};
use crate::session::Session;
use landfall_aws::NAME;

/// The field that names an image for all pools.
const FIELD: &str = "platform.aws.defaultMachinePlatform.amiID";

/// One check for each image that pools name, and one for each architecture of pools that name none.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, given, .. } = session.asking;
    let mut all = Vec::new();
    for setting in distinct(config, given, "amiID", |settings| &settings.ami_id) {
        let id = format!("aws.image.{}", setting.value);
        let field = setting.field.clone();
        all.push(check(id, field, named(session, setting)));
    }
    for architecture in open_architectures(config) {
        let id = format!("aws.image.{architecture}");
        all.push(check(id, FIELD, published(session, architecture)));
    }
    all
}

/// The architectures of the pools that name no image.
fn open_architectures(config: &InstallConfig) -> BTreeSet<String> {
    let open = config.pools().filter(|(_, pool)| !has_image(pool));
    open.map(|(_, pool)| pool.architecture.clone()).collect()
}

fn has_image(pool: &Pool) -> bool {
    pool.platform.aws.as_ref().is_some_and(|settings| !settings.ami_id.is_empty())
}

/// An image that the config names.
async fn named(session: &Session<'_>, setting: Setting) -> Result<Answer, Answer> {
    let ec2 = session.ec2().await?;
    let found = described(session, ec2, &setting.value).await;
    let seen = found.map_err(|fault| fault.answer(&setting.field))?;
    let confidential = |pool: &Pool| {
        pool.platform.aws.as_ref().is_some_and(|own| own.ami_id == setting.value && own.has_sev_snp())
    };
    Ok(judged(
        seen.as_ref(),
        &Wish {
            id: &setting.value,
            region: session.region(),
            architecture: &setting.architecture,
            field: &setting.field,
            uefi: session.asking.config.pools().any(|(_, pool)| confidential(pool)),
        },
    ))
}

/// The image that is published for an architecture: in the region, or where it is copied from.
async fn published(session: &Session<'_>, architecture: String) -> Result<Answer, Answer> {
    let Asking { config, catalogue, release, .. } = session.asking;
    let (architecture, region) = (architecture.as_str(), session.region());
    let wish = |id, region| Wish { id, region, architecture, field: FIELD, uefi: false };
    if let Some(id) = catalogue.image(release, architecture, NAME, region) {
        let ec2 = session.ec2().await?;
        let found = described(session, ec2, id).await;
        let seen = found.map_err(|fault| fault.answer(FIELD))?;
        return Ok(judged(seen.as_ref(), &wish(id, region)));
    }
    let (from, id) = source(config, catalogue, release, &wish("", region)).map_err(Answer::skipped)?;
    let ec2 = session.ec2_in(from).await?;
    let found = described(session, &ec2, id).await;
    let seen = found.map_err(|fault| elsewhere(&fault, from))?;
    Ok(judged(seen.as_ref(), &wish(id, from)).with("copiedTo", region))
}

/// The region and the id of the image that is copied for an architecture, or why there is none. landfall copies
/// only the image that the control plane starts from, and none where the config sets that one.
fn source<'c>(
    config: &InstallConfig,
    catalogue: &'c Catalogue,
    release: &str,
    wish: &Wish<'_>,
) -> Result<(&'c str, &'c str), String> {
    let Wish { architecture, region, .. } = wish;
    let control_plane = config.control_plane.as_ref();
    if control_plane.is_some_and(|pool| pool.architecture != *architecture || has_image(pool)) {
        return Err(format!(
            "no image for {architecture} is published in {region}, and only the control plane's published image is \
             copied: see aws.image.choice"
        ));
    }
    let partition = catalogue.aws.partition_of(region).map(|(_, partition)| partition);
    let from = partition.and_then(|partition| partition.image_copy_from.as_deref());
    let found = from.and_then(|from| Some((from, catalogue.image(release, architecture, NAME, from)?)));
    found.ok_or_else(|| {
        format!("no image is published for {region} and none can be copied: see aws.image.choice")
    })
}

/// A region that cannot be asked from here may still be one that AWS copies from.
fn elsewhere(fault: &Fault, region: &str) -> Answer {
    match fault.sort {
        Sort::TimedOut | Sort::Unreachable => {
            Answer::skipped(format!("{region}, the source region of the image, cannot be reached from here"))
        }
        // A policy of the organization may keep the account out of all regions but some.
        Sort::Denied | Sort::NotEnabled => fault.attach(Answer::skipped(format!(
            "the image in {region}, the source of the copy, cannot be read: {}",
            fault.sentence()
        ))),
        _ => fault.answer(FIELD),
    }
}

/// What EC2 says of an image; none where it has no such image.
async fn described(session: &Session<'_>, ec2: &Client, id: &str) -> Result<Option<Seen>, Box<Fault>> {
    const CALL: &str = "ec2:DescribeImages";
    let request = ec2.describe_images().image_ids(id).include_deprecated(true);
    match session.answer(CALL, request.send()).await {
        Ok(answer) => Ok(answer.images().iter().find(|image| image.image_id() == Some(id)).map(seen)),
        Err(fault) => {
            let no_image = fault.code.as_deref().is_some_and(|code| code.starts_with("InvalidAMIID."));
            if no_image { Ok(None) } else { Err(Box::new(fault)) }
        }
    }
}

/// What is to be known of an image.
#[derive(Clone, Debug, Default)]
struct Seen {
    state: String,
    /// As an install config names it, or else as EC2 does.
    architecture: String,
    name: String,
    deprecated: String,
    boot_mode: String,
}

fn seen(image: &Image) -> Seen {
    let architecture = image.architecture().map(ArchitectureValues::as_str).unwrap_or_default();
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Seen {
        state: text(image.state().map(ImageState::as_str)),
        architecture: if architecture == "x86_64" { "amd64" } else { architecture }.to_owned(),
        name: text(image.name()),
        deprecated: text(image.deprecation_time()),
        boot_mode: text(image.boot_mode().map(BootModeValues::as_str)),
    }
}

/// What an image is wanted for.
pub(super) struct Wish<'a> {
    /// Id of the image.
    pub(super) id: &'a str,
    /// Region that is to have it.
    pub(super) region: &'a str,
    /// Processor architecture of the machines.
    pub(super) architecture: &'a str,
    /// Where the config names it, or could.
    pub(super) field: &'a str,
    /// Whether machines boot with UEFI alone, as with AMD SEV-SNP.
    pub(super) uefi: bool,
}

/// Whether machines can start from an image. What a cloud leaves out stands against nothing.
fn judged(seen: Option<&Seen>, wish: &Wish<'_>) -> Answer {
    let Some(seen) = seen else {
        return Answer::found(pages::image_missing(wish)).with("image", wish.id).with("region", wish.region);
    };
    let available = seen.state.is_empty() || seen.state == "available";
    let fits = seen.architecture.is_empty() || seen.architecture == wish.architecture;
    let answer = if !available {
        Answer::found(pages::image_unavailable(wish, &seen.state))
    } else if !fits {
        Answer::found(pages::image_of_another(wish, &seen.architecture))
    } else if wish.uefi && !seen.boot_mode.starts_with("uefi") {
        Answer::found(pages::image_without_uefi(wish, &seen.boot_mode))
    } else {
        Answer::passed(format!("{} is available in {}", wish.id, wish.region))
    };
    let answer = answer.with("image", wish.id).with("region", wish.region).with("name", seen.name.as_str());
    let answer = answer.with("state", seen.state.as_str()).with("architecture", seen.architecture.as_str());
    if seen.deprecated.is_empty() { answer } else { answer.with("deprecated", seen.deprecated.as_str()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::aws::config::MachinePool;
    use landfall_platform::cloud::Verdict;
    use landfall_testing::assert_names;

    fn code(seen: Option<&Seen>) -> &'static str {
        code_if(seen, false)
    }

    fn code_if(seen: Option<&Seen>, uefi: bool) -> &'static str {
        let wish = Wish { id: "ami-1", region: "us-east-1", architecture: "amd64", field: FIELD, uefi };
        match judged(seen, &wish).verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            _ => "",
        }
    }

    fn image(state: ImageState, architecture: ArchitectureValues) -> Seen {
        seen(&Image::builder().state(state).architecture(architecture).name("rhcos").build())
    }

    #[test]
    fn an_image_must_be_there_and_available_and_fit() {
        assert_eq!(code(None), "LF1030");
        assert_eq!(code(Some(&image(ImageState::Pending, ArchitectureValues::X8664))), "LF1030");
        assert_eq!(code(Some(&image(ImageState::Available, ArchitectureValues::Arm64))), "LF1031");
        assert_eq!(code(Some(&image(ImageState::Available, ArchitectureValues::X8664))), "");
        assert_eq!(code(Some(&Seen::default())), "");
    }

    #[test]
    fn machines_with_sev_snp_boot_with_uefi() {
        let image = Image::builder().architecture(ArchitectureValues::X8664);
        let of = |mode: BootModeValues| seen(&image.clone().boot_mode(mode).build());
        for (mode, wanted) in [
            (BootModeValues::Uefi, ""),
            (BootModeValues::UefiPreferred, ""),
            (BootModeValues::LegacyBios, "LF1031"),
        ] {
            assert_eq!(code_if(Some(&of(mode.clone())), true), wanted, "{mode:?}");
            assert_eq!(code_if(Some(&of(mode)), false), "");
        }
        assert_eq!(code_if(Some(&seen(&image.build())), true), "LF1031");
    }

    #[test]
    fn a_region_that_may_not_be_asked_can_still_be_copied_from() {
        let fault = |sort: Sort| Fault {
            call: "ec2:DescribeImages".to_owned(),
            sort,
            code: Some("UnauthorizedOperation".to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(403),
        };
        let told = |sort: Sort| match elsewhere(&fault(sort), "us-east-1").verdict {
            Verdict::Skipped(why) | Verdict::Unanswered(why) => why,
            _ => String::new(),
        };
        assert_names(&told(Sort::Denied), &["us-east-1", "ec2:DescribeImages", "UnauthorizedOperation"]);
        assert_eq!(told(Sort::Service), "");
    }

    #[test]
    fn an_architecture_is_open_where_a_pool_names_no_image() {
        let mut worker = Pool { architecture: "arm64".to_owned(), ..Pool::default() };
        let master = Pool { architecture: "amd64".to_owned(), ..Pool::default() };
        worker.platform.aws = Some(MachinePool { ami_id: "ami-1".to_owned(), ..MachinePool::default() });
        let config =
            InstallConfig { control_plane: Some(master), compute: vec![worker], ..InstallConfig::default() };
        assert_eq!(open_architectures(&config), BTreeSet::from(["amd64".to_owned()]));
    }

    #[test]
    fn only_the_image_of_the_control_planes_architecture_is_copied() {
        let master = Pool { architecture: "amd64".to_owned(), ..Pool::default() };
        let mut config = InstallConfig { control_plane: Some(master), ..InstallConfig::default() };
        let source = |config: &InstallConfig, architecture: &str, region: &str| {
            let wish = Wish { id: "", region, architecture, field: FIELD, uefi: false };
            source(config, Catalogue::embedded(), "4.14", &wish).map(|(from, _)| from)
        };
        let copied = |architecture: &str, region: &str| source(&config, architecture, region);
        assert_eq!(copied("amd64", "mx-central-1"), Ok("us-east-1"));
        let told = |architecture: &str, region: &str| copied(architecture, region).err().unwrap_or_default();
        assert_names(&told("arm64", "mx-central-1"), &["arm64", "mx-central-1", "control plane"]);
        assert_names(&told("amd64", "cn-north-1"), &["cn-north-1", "none can be copied"]);
        let own = MachinePool { ami_id: "ami-0own".to_owned(), ..MachinePool::default() };
        if let Some(master) = &mut config.control_plane {
            master.platform.aws = Some(own);
        }
        assert!(source(&config, "amd64", "mx-central-1").is_err());
    }
}
