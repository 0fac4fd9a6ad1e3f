//! The questions of the wizard, one after the other.

use std::cell::RefCell;
use std::error::Error as _;

use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::shortened;
use landfall_model::catalogue::KnownRegion;
use landfall_platform::cloud::PublicZone;
use landfall_platform::survey::Survey;

use super::objections::{GUIDE, PULL_SECRETS, objection, regions};
use super::{Given, machine_types};
use crate::cli::Settings;
use crate::prepare::draft::{Answers, Question};
use crate::prepare::wizard::KeyFile;
use crate::prepare::zones::{NoZones, public_zones};
use crate::prepare::{Basis, Environment, Error, draft, wizard};
use crate::ui::Progress;
use crate::ui::prompt::{NoAnswer, Prompts};
use crate::workdir::ClusterDir;

/// What stands for the platform's own machine type.
const USUAL: &str = "default";
/// How the endpoints of a cluster are published, with what that means.
const PUBLISHING: [(&str, &str); 2] =
    [("External", "the API and applications on the Internet"), ("Internal", "in the cluster's network only")];
/// More items than this are searched, not walked through.
const FEW: usize = 12;

/// Why there is no config.
pub(super) enum Stop {
    /// The user stopped with Ctrl-C.
    Stopped,
    /// Something went wrong.
    Failed(anyhow::Error),
}

impl From<NoAnswer> for Stop {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Stopped => Self::Stopped,
            lost @ NoAnswer::Lost(_) => Self::Failed(lost.into()),
        }
    }
}

impl From<Error> for Stop {
    fn from(fault: Error) -> Self {
        Self::Failed(fault.into())
    }
}

/// Asks what `given` leaves open. Answers are kept in the cluster directory as they come.
pub(super) fn ask(
    given: Given,
    cluster: &ClusterDir,
    basis: &Basis,
    settings: &Settings,
) -> Result<Given, Stop> {
    let kept = wizard::kept(cluster);
    if !kept.is_empty() {
        settings.printer.talk("the answers of the stopped run are the defaults");
    }
    let prompts = Prompts::new(settings.printer.colours().talk)?;
    let mut asking = Wizard { prompts, cluster, basis, settings, kept, given, zones: None };
    for question in Question::ALL {
        if Some(&question) == Question::MACHINES.first() {
            asking.machines()?;
        }
        asking.answer(question)?;
    }
    Ok(asking.given)
}

struct Wizard<'w> {
    prompts: Prompts,
    cluster: &'w ClusterDir,
    basis: &'w Basis,
    settings: &'w Settings,
    /// Answers of an earlier run.
    kept: Answers,
    given: Given,
    /// The account's public zones, once they were asked for.
    zones: Option<Vec<PublicZone>>,
}

impl Wizard<'_> {
    /// Sees to it that a question has an answer.
    fn answer(&mut self, question: Question) -> Result<(), Stop> {
        let answers = &self.given.answers;
        let has_image = question == Question::Image && !answers.needs_image(&self.basis.catalogue);
        if !answers.applies(question) || (has_image && !self.given.has(question)) {
            return Ok(());
        }
        if self.given.has(question) {
            let secret = self.given.secret.as_ref();
            match objection(question, &self.given.answers, secret, self.basis) {
                None => return Ok(()),
                Some(objection) => self.prompts.say(&objection.line())?,
            }
        }
        let answer = match question {
            Question::SshKey => self.ssh_key()?,
            Question::Platform => self.platform()?,
            Question::Cloud => self.cloud()?,
            Question::Region => self.region()?,
            Question::Image => self.text(question, "Image of the machines", self.earlier(question))?,
            Question::BaseDomain => self.base_domain()?,
            Question::ZoneGroup => self.zone_group()?,
            Question::Name => self.text(question, "Cluster name", self.earlier(question))?,
            Question::ControlPlaneType => self.machine_type(question, "Control plane machine type")?,
            Question::ComputeType => self.machine_type(question, "Compute machine type")?,
            Question::ControlPlaneReplicas => self.replicas(question, "Control plane machines")?,
            Question::ComputeReplicas => self.replicas(question, "Compute machines")?,
            Question::Publish => self.publish()?,
            Question::PullSecret => {
                self.given.secret = Some(self.pull_secret()?);
                return Ok(());
            }
        };
        self.given.answers.set(question, answer);
        wizard::keep(self.cluster, &self.given.answers.over(&self.kept))?;
        Ok(())
    }

    /// The answer of an earlier run.
    fn earlier(&self, question: Question) -> Option<&str> {
        self.kept.get(question)
    }

    fn check(&self, question: Question, answer: &str) -> Result<(), String> {
        let mut answers = self.given.answers.clone();
        answers.set(question, answer.to_owned());
        match objection(question, &answers, None, self.basis) {
            Some(objection) => Err(objection.line()),
            None => Ok(()),
        }
    }

    fn text(&self, question: Question, words: &str, default: Option<&str>) -> Result<String, Stop> {
        Ok(self.prompts.text(words, default, &|answer: &str| self.check(question, answer))?)
    }

    /// Asks whether machines and publishing are to be as usual, unless a flag says one of them already. Those that
    /// are to be have an empty answer afterwards.
    fn machines(&mut self) -> Result<(), Stop> {
        let is_given = Question::MACHINES.into_iter().any(|question| self.given.has(question));
        let is_kept = |question| self.kept.get(question).is_some_and(|answer| !answer.is_empty());
        let default = usize::from(Question::MACHINES.into_iter().any(is_kept));
        let items = [
            "defaults: 3 control plane and 3 compute machines of the platform's types, published externally",
            "choose machine types, numbers of machines and publishing",
        ]
        .map(str::to_owned);
        if is_given || self.prompts.choose("Machines", &items, default)? == 0 {
            for question in Question::MACHINES {
                if !self.given.has(question) {
                    self.given.answers.set(question, String::new());
                }
            }
        }
        Ok(())
    }

    fn machine_type(&self, question: Question, words: &str) -> Result<String, Stop> {
        let earlier = self.earlier(question).filter(|earlier| !earlier.is_empty());
        let default = earlier.unwrap_or(USUAL);
        // A type that the catalogue does not have is taken when it is entered twice.
        let doubted = RefCell::new(String::new());
        let answer = self.prompts.text(words, Some(default), &|answer: &str| {
            if answer == USUAL {
                return Ok(());
            }
            self.check(question, answer)?;
            let mut answers = self.given.answers.clone();
            answers.set(question, answer.to_owned());
            match machine_types::doubt(question, &answers, self.basis) {
                Some(doubt) if doubted.replace(answer.to_owned()) != answer => {
                    Err(format!("{doubt}; press Enter again to use `{}` nevertheless", shortened(answer)))
                }
                _ => Ok(()),
            }
        })?;
        Ok(if answer == USUAL { String::new() } else { answer })
    }

    fn replicas(&self, question: Question, words: &str) -> Result<String, Stop> {
        let earlier = self.earlier(question).filter(|earlier| !earlier.is_empty());
        self.text(question, words, Some(earlier.unwrap_or("3")))
    }

    fn publish(&self) -> Result<String, Stop> {
        let items: Vec<String> =
            PUBLISHING.iter().map(|(value, meaning)| format!("{value}  {meaning}")).collect();
        let earlier = self.earlier(Question::Publish);
        let default = PUBLISHING.iter().position(|(value, _)| Some(*value) == earlier).unwrap_or(0);
        loop {
            let chosen = self.prompts.choose("Publishing", &items, default)?;
            let value = PUBLISHING.get(chosen).map(|(value, _)| *value).unwrap_or_default();
            match self.check(Question::Publish, value) {
                Ok(()) => return Ok(value.to_owned()),
                Err(why) => self.prompts.say(&format!("error: {why}"))?,
            }
        }
    }

    /// Says one line that nobody needs to be told who wants quiet.
    fn hint(&self, line: &str) {
        self.settings.printer.talk(line);
    }

    fn ssh_key(&self) -> Result<String, Stop> {
        let mut keys: Vec<KeyFile> = wizard::ssh_keys();
        keys.retain(|key| !key.text.is_empty() && self.check(Question::SshKey, &key.text).is_ok());
        let earlier = self.earlier(Question::SshKey);
        if let Some(text) = earlier.filter(|text| !text.is_empty())
            && keys.iter().all(|key| key.text != text)
        {
            keys.insert(0, KeyFile { name: "as before".to_owned(), text: text.to_owned() });
        }
        let mut items: Vec<String> = keys.iter().map(|key| described(&key.name, &key.text)).collect();
        items.extend(["another file".to_owned(), "none: no login to the machines".to_owned()]);
        let none = items.len() - 1;
        let default = match earlier {
            Some("") => none,
            Some(text) => keys.iter().position(|key| key.text == text).unwrap_or(0),
            None if keys.is_empty() => none,
            None => 0,
        };
        let chosen = self.prompts.choose("Public SSH key", &items, default)?;
        if let Some(key) = keys.into_iter().nth(chosen) {
            return Ok(key.text);
        }
        if chosen == none {
            return Ok(String::new());
        }
        let read = |path: &str| {
            wizard::ssh_key(path).map_err(|fault| match fault.source() {
                Some(cause) => format!("{fault}: {cause}"),
                None => fault.to_string(),
            })
        };
        let check = |path: &str| match read(path)? {
            text if text.is_empty() => Err("the file is empty".to_owned()),
            text => self.check(Question::SshKey, &text),
        };
        let path = self.prompts.text("File with the public key", None, &check)?;
        Ok(wizard::ssh_key(&path)?)
    }

    fn platform(&self) -> Result<String, Stop> {
        let allowed = |(name, _): &(&str, &dyn Survey)| self.basis.catalogue.allows_platform(name);
        let platforms: Vec<(&str, &dyn Survey)> = draft::platforms().filter(allowed).collect();
        let items: Vec<String> =
            platforms.iter().map(|(name, survey)| format!("{name}  {}", survey.title())).collect();
        let earlier = self.earlier(Question::Platform);
        let default = platforms.iter().position(|(name, _)| Some(*name) == earlier).unwrap_or(0);
        let chosen = self.prompts.choose("Platform", &items, default)?;
        Ok(platforms.get(chosen).map(|(name, _)| (*name).to_owned()).unwrap_or_default())
    }

    fn cloud(&self) -> Result<String, Stop> {
        let survey = self.given.answers.survey();
        let clouds = survey.map(|survey| survey.clouds(&self.basis.catalogue)).unwrap_or_default();
        let items: Vec<String> = clouds.iter().map(|name| (*name).to_owned()).collect();
        let earlier = self.earlier(Question::Cloud);
        let default = clouds.iter().position(|name| Some(*name) == earlier).unwrap_or(0);
        let chosen = self.prompts.choose("Cloud", &items, default)?;
        Ok(items.into_iter().nth(chosen).unwrap_or_default())
    }

    fn region(&self) -> Result<String, Stop> {
        let Some(survey) = self.given.answers.survey() else {
            return Ok(String::new());
        };
        let mut regions = regions(survey, &self.given.answers, self.basis);
        if let Some(allowance) = self.basis.catalogue.allowance.as_ref().filter(|_| regions.is_empty()) {
            let profile = shortened(&allowance.profile);
            return Err(Stop::Failed(anyhow::anyhow!("the cloud profile `{profile}` lists no region there")));
        }
        let environment = survey.environment_region(&Environment);
        let wanted = self.earlier(Question::Region).or(environment.as_deref());
        let usual = survey.usual_region();
        // The default comes first, then what most people look for.
        regions.sort_by_key(|region| (Some(region.id) != wanted, region.id != usual, !region.offered));
        let mut items: Vec<String> = regions.iter().map(|region| self.region_line(region)).collect();
        let restriction = self.basis.catalogue.restriction();
        match &restriction {
            Some(restriction) => self.hint(restriction),
            None => items.push("another region: how to use one that is not in this list".to_owned()),
        }
        if let Some(wanted) = wanted.filter(|wanted| regions.iter().all(|region| region.id != *wanted)) {
            self.hint(&format!("`{}` from your environment is not in the list", shortened(wanted)));
        }
        loop {
            let chosen = self.prompts.search("Region", &items, items.len() - regions.len())?;
            match regions.get(chosen) {
                Some(region) => return Ok(region.id.to_owned()),
                None => self.prompts.say(&format!(
                    "to use a region that is not in the list, {}; see {GUIDE}",
                    survey.unlisted()
                ))?,
            }
        }
    }

    fn region_line(&self, region: &KnownRegion<'_>) -> String {
        let platform = self.given.answers.platform.as_deref().unwrap_or_default();
        let image = self.basis.catalogue.image(&self.basis.release, "amd64", platform, region.id);
        let note = if image.is_none() { "  (no image published)" } else { "" };
        format!("{}  {}{note}", region.id, region.name)
    }

    /// The account's public zones; none where they cannot be known, which is said.
    fn zones(&mut self) -> Result<Vec<PublicZone>, Stop> {
        if let Some(zones) = &self.zones {
            return Ok(zones.clone());
        }
        let draft = draft::text(&self.given.answers, None, &self.basis.catalogue);
        let progress = Progress::new("querying the cloud", None, self.settings.printer.draws());
        progress.more(1);
        progress.began("public DNS zones of the account");
        let asked = public_zones(&draft, self.basis);
        drop(progress);
        let zones = match asked {
            Ok(zones) => zones,
            Err(NoZones::Stopped) => return Err(Stop::Stopped),
            Err(NoZones::Unknown(why)) => {
                self.hint(&format!("the account's public DNS zones cannot be listed: {why}"));
                Vec::new()
            }
        };
        self.zones = Some(zones.clone());
        Ok(zones)
    }

    fn base_domain(&mut self) -> Result<String, Stop> {
        let mut zones = self.zones()?;
        zones.retain(|zone| self.check(Question::BaseDomain, &zone.domain).is_ok());
        let earlier = self.earlier(Question::BaseDomain);
        if !zones.is_empty() {
            zones.sort_by_key(|zone| Some(zone.domain.as_str()) != earlier);
            let mut items: Vec<String> = zones.iter().map(zone_line).collect();
            items.push("another domain".to_owned());
            let words = "Base domain";
            let chosen = if items.len() > FEW {
                self.prompts.search(words, &items, 1)?
            } else {
                self.prompts.choose(words, &items, 0)?
            };
            if let Some(zone) = zones.into_iter().nth(chosen) {
                if let Some(group) = zone.group.filter(|_| !self.given.has(Question::ZoneGroup)) {
                    self.given.answers.set(Question::ZoneGroup, group);
                }
                return Ok(zone.domain);
            }
        }
        self.text(Question::BaseDomain, "Base domain", earlier)
    }

    fn zone_group(&mut self) -> Result<String, Stop> {
        let zones = self.zones()?;
        let domain = self.given.answers.base_domain.as_deref().unwrap_or_default().trim_end_matches('.');
        let own = zones.iter().find(|zone| zone.domain == domain).and_then(|zone| zone.group.as_deref());
        let default = own.or_else(|| self.earlier(Question::ZoneGroup));
        self.text(Question::ZoneGroup, "Resource group of its public zone", default)
    }

    fn pull_secret(&self) -> Result<Secret<String>, Stop> {
        self.hint(&format!("paste the pull secret (hidden). Red Hat's is at {PULL_SECRETS}"));
        let check = |text: &str| {
            let secret = draft::one_line(&Secret::new(text.to_owned()));
            let answers = &self.given.answers;
            match objection(Question::PullSecret, answers, Some(&secret), self.basis) {
                Some(objection) => Err(objection.line()),
                None => Ok(()),
            }
        };
        let secret = self.prompts.hidden("Pull secret", &draft::is_cut_off, &check)?;
        Ok(draft::one_line(&secret))
    }
}

/// A file with a key, and what the key says of itself.
fn described(name: &str, key: &str) -> String {
    let mut words = key.lines().next().unwrap_or_default().splitn(3, [' ', '\t']);
    let (kind, comment) = (words.next().unwrap_or_default(), words.nth(1).unwrap_or_default());
    format!("{name}  {kind}  {comment}").trim_end().to_owned()
}

fn zone_line(zone: &PublicZone) -> String {
    match &zone.group {
        Some(group) => format!("{}  (resource group {group})", zone.domain),
        None => zone.domain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_by_its_type_and_comment() {
        assert_eq!(described("~/.ssh/a.pub", "ssh-rsa AAAA me at home"), "~/.ssh/a.pub  ssh-rsa  me at home");
        assert_eq!(described("~/.ssh/a.pub", "ssh-rsa AAAA"), "~/.ssh/a.pub  ssh-rsa");
        assert_eq!(described("x", ""), "x");
    }
}
