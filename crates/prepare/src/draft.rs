//! A new install config as far as its questions are answered: its text, and what the rules say of an answer.
//!
//! Pure. An answer is judged by the rules that `validate` goes by, for the draft with that answer in it.

use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_install_config::platforms::{PLATFORMS, named};
use landfall_install_config::verdict::{Strictness, judge_with};
use landfall_model::catalogue::Catalogue;
use landfall_platform::Platform;
use landfall_platform::survey::{Site, Survey};
use landfall_render::yaml;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A question of the wizard, in the order in which they are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// The public SSH key.
    SshKey,
    /// The platform.
    Platform,
    /// The platform's cloud, where it has several.
    Cloud,
    /// The region.
    Region,
    /// The image of the machines, where the region has no published one.
    Image,
    /// The base domain.
    BaseDomain,
    /// The group of the base domain's public zone, where the platform has such groups.
    ZoneGroup,
    /// The cluster's name.
    Name,
    /// The machine type of the control plane.
    ControlPlaneType,
    /// The number of machines of the control plane.
    ControlPlaneReplicas,
    /// The machine type of the compute machines.
    ComputeType,
    /// The number of compute machines.
    ComputeReplicas,
    /// How the cluster's endpoints are published.
    Publish,
    /// The pull secret.
    PullSecret,
}

impl Question {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::SshKey,
        Self::Platform,
        Self::Cloud,
        Self::Region,
        Self::Image,
        Self::BaseDomain,
        Self::ZoneGroup,
        Self::Name,
        Self::ControlPlaneType,
        Self::ControlPlaneReplicas,
        Self::ComputeType,
        Self::ComputeReplicas,
        Self::Publish,
        Self::PullSecret,
    ];

    /// Those that have a usual answer, in the order of [`Self::ALL`].
    pub const MACHINES: [Self; 5] = [
        Self::ControlPlaneType,
        Self::ControlPlaneReplicas,
        Self::ComputeType,
        Self::ComputeReplicas,
        Self::Publish,
    ];

    /// Whether a config is whole without an answer; that of the image depends on the region.
    #[must_use]
    pub fn is_optional(self) -> bool {
        matches!(self, Self::Cloud | Self::Image) || Self::MACHINES.contains(&self)
    }

    /// The flag that answers it.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::SshKey => "--ssh-key-file",
            Self::Platform => "--platform",
            Self::Cloud => "--cloud-name",
            Self::Region => "--region",
            Self::Image => "--ami-id",
            Self::BaseDomain => "--base-domain",
            Self::ZoneGroup => "--base-domain-resource-group",
            Self::Name => "--name",
            Self::ControlPlaneType => "--control-plane-type",
            Self::ControlPlaneReplicas => "--control-plane-replicas",
            Self::ComputeType => "--compute-type",
            Self::ComputeReplicas => "--compute-replicas",
            Self::Publish => "--publish",
            Self::PullSecret => "--pull-secret-file",
        }
    }
}

/// The answers so far. The pull secret is not among them, so that they can be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answers {
    /// Public SSH keys, one a line; empty for none.
    pub ssh_key: Option<String>,
    /// Name of the platform.
    pub platform: Option<String>,
    /// Name of the cloud.
    pub cloud: Option<String>,
    /// Id of the region.
    pub region: Option<String>,
    /// Id of the image of the machines.
    pub image: Option<String>,
    /// The base domain.
    pub base_domain: Option<String>,
    /// Group of the base domain's public zone.
    pub zone_group: Option<String>,
    /// Name of the cluster.
    pub name: Option<String>,
    /// Machine type of the control plane; empty for the usual one, as below.
    pub control_plane_type: Option<String>,
    /// Number of machines of the control plane.
    pub control_plane_replicas: Option<String>,
    /// Machine type of the compute machines.
    pub compute_type: Option<String>,
    /// Number of compute machines.
    pub compute_replicas: Option<String>,
    /// How the cluster's endpoints are published.
    pub publish: Option<String>,
}

impl Answers {
    /// Whether nothing is answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The answer to a question; none for the pull secret.
    #[must_use]
    pub fn get(&self, question: Question) -> Option<&str> {
        match question {
            Question::SshKey => self.ssh_key.as_deref(),
            Question::Platform => self.platform.as_deref(),
            Question::Cloud => self.cloud.as_deref(),
            Question::Region => self.region.as_deref(),
            Question::Image => self.image.as_deref(),
            Question::BaseDomain => self.base_domain.as_deref(),
            Question::ZoneGroup => self.zone_group.as_deref(),
            Question::Name => self.name.as_deref(),
            Question::ControlPlaneType => self.control_plane_type.as_deref(),
            Question::ControlPlaneReplicas => self.control_plane_replicas.as_deref(),
            Question::ComputeType => self.compute_type.as_deref(),
            Question::ComputeReplicas => self.compute_replicas.as_deref(),
            Question::Publish => self.publish.as_deref(),
            Question::PullSecret => None,
        }
    }

    /// Answers a question; the pull secret's is not taken.
    pub fn set(&mut self, question: Question, answer: String) {
        let place = match question {
            Question::SshKey => &mut self.ssh_key,
            Question::Platform => &mut self.platform,
            Question::Cloud => &mut self.cloud,
            Question::Region => &mut self.region,
            Question::Image => &mut self.image,
            Question::BaseDomain => &mut self.base_domain,
            Question::ZoneGroup => &mut self.zone_group,
            Question::Name => &mut self.name,
            Question::ControlPlaneType => &mut self.control_plane_type,
            Question::ControlPlaneReplicas => &mut self.control_plane_replicas,
            Question::ComputeType => &mut self.compute_type,
            Question::ComputeReplicas => &mut self.compute_replicas,
            Question::Publish => &mut self.publish,
            Question::PullSecret => return,
        };
        *place = Some(answer);
    }

    /// These answers, and for what they leave open those of `earlier`.
    #[must_use]
    pub fn over(&self, earlier: &Self) -> Self {
        let mut all = earlier.clone();
        for question in Question::ALL {
            if let Some(answer) = self.get(question) {
                all.set(question, answer.to_owned());
            }
        }
        all
    }

    /// What the chosen platform asks; none before it is chosen.
    #[must_use]
    pub fn survey(&self) -> Option<&'static dyn Survey> {
        self.platform.as_deref().and_then(named).and_then(Platform::survey)
    }

    /// Whether a question is put for the chosen platform; those that only some platforms have are not put
    /// before it is chosen.
    #[must_use]
    pub fn applies(&self, question: Question) -> bool {
        let fields = self.survey().map(Survey::fields);
        match question {
            Question::Cloud => fields.is_some_and(|fields| !fields.cloud.is_empty()),
            Question::ZoneGroup => fields.is_some_and(|fields| !fields.zone_group.is_empty()),
            Question::Image => fields.is_some_and(|fields| !fields.image.is_empty()),
            _ => true,
        }
    }

    /// Whether a config for the chosen region must name the image of its machines.
    #[must_use]
    pub fn needs_image(&self, catalogue: &Catalogue) -> bool {
        let region = self.region.as_deref().unwrap_or_default();
        self.survey().is_some_and(|survey| survey.needs_image(catalogue, region))
    }

    /// Where an answer stands in the config.
    fn field(&self, question: Question) -> String {
        let fields = self.survey().map(Survey::fields);
        let machine_type = |pool: &str| match (&self.platform, fields) {
            (Some(platform), Some(fields)) => format!("{pool}.platform.{platform}.{}", fields.machine_type),
            _ => String::new(),
        };
        let field = match question {
            Question::ControlPlaneType => return machine_type("controlPlane"),
            Question::ComputeType => return machine_type("compute[0]"),
            Question::ControlPlaneReplicas => "controlPlane.replicas",
            Question::ComputeReplicas => "compute[0].replicas",
            Question::Publish => "publish",
            Question::SshKey => "sshKey",
            Question::Platform => "platform",
            Question::Cloud => fields.map_or("", |fields| fields.cloud),
            Question::Region => fields.map_or("", |fields| fields.region),
            Question::Image => fields.map_or("", |fields| fields.image),
            Question::BaseDomain => "baseDomain",
            Question::ZoneGroup => fields.map_or("", |fields| fields.zone_group),
            Question::Name => "metadata.name",
            Question::PullSecret => "pullSecret",
        };
        field.to_owned()
    }

    /// A machine pool, as far as one was chosen; the rest is as usual.
    fn pool(&self, name: &str, machine_type: Question, replicas: Question) -> Option<Value> {
        let given = |question| self.get(question).filter(|answer| !answer.is_empty());
        let mut pool = Map::new();
        if let (Some(chosen), Some(platform), Some(survey)) =
            (given(machine_type), &self.platform, self.survey())
        {
            let settings = Map::from_iter([(survey.fields().machine_type.to_owned(), Value::from(chosen))]);
            let of_platform = Map::from_iter([(platform.clone(), Value::Object(settings))]);
            pool.insert("platform".to_owned(), Value::Object(of_platform));
        }
        if let Some(count) = given(replicas) {
            // What is not a number is for the rules to refuse.
            pool.insert(
                "replicas".to_owned(),
                count.parse::<i64>().map_or_else(|_| Value::from(count), Value::from),
            );
        }
        if pool.is_empty() {
            return None;
        }
        pool.insert("name".to_owned(), Value::from(name));
        Some(Value::Object(pool))
    }
}

/// The platforms that the wizard can write a config for.
pub fn platforms() -> impl Iterator<Item = (&'static str, &'static dyn Survey)> {
    let installable = PLATFORMS.iter().filter(|platform| !platform.stages().is_empty());
    installable.filter_map(|platform| Some((platform.name(), platform.survey()?)))
}

/// The config that the answers come to. It holds the pull secret: never pass it to a message.
#[must_use]
pub fn text(answers: &Answers, pull_secret: Option<&Secret<String>>, catalogue: &Catalogue) -> String {
    let given = |question| answers.get(question).unwrap_or_default();
    let mut config = Map::new();
    config.insert("apiVersion".to_owned(), json!("v1"));
    config.insert("baseDomain".to_owned(), json!(given(Question::BaseDomain)));
    config.insert("metadata".to_owned(), json!({ "name": given(Question::Name) }));
    if let (Some(platform), Some(survey)) = (&answers.platform, answers.survey()) {
        let site = Site {
            cloud: given(Question::Cloud),
            region: given(Question::Region),
            zone_group: given(Question::ZoneGroup),
            image: given(Question::Image),
        };
        let section = [(platform.clone(), Value::Object(survey.section(site, catalogue)))];
        config.insert("platform".to_owned(), Value::Object(section.into_iter().collect()));
    }
    let control_plane = answers.pool("master", Question::ControlPlaneType, Question::ControlPlaneReplicas);
    if let Some(pool) = control_plane {
        config.insert("controlPlane".to_owned(), pool);
    }
    if let Some(pool) = answers.pool("worker", Question::ComputeType, Question::ComputeReplicas) {
        config.insert("compute".to_owned(), Value::Array(vec![pool]));
    }
    if let Some(publish) = answers.publish.as_deref().filter(|publish| !publish.is_empty()) {
        config.insert("publish".to_owned(), Value::from(publish));
    }
    if let Some(secret) = pull_secret {
        config.insert("pullSecret".to_owned(), Value::from(secret.expose().as_str()));
    }
    if let Some(key) = answers.ssh_key.as_deref().filter(|key| !key.is_empty()) {
        config.insert("sshKey".to_owned(), Value::from(key));
    }
    yaml(&Value::Object(config))
}

/// What stands against the answer to a question, given those before it; nothing where it can be taken.
#[must_use]
pub fn fault(
    question: Question,
    answers: &Answers,
    pull_secret: Option<&Secret<String>>,
    catalogue: &Catalogue,
) -> Option<Finding> {
    let text = text(answers, pull_secret, catalogue);
    let verdict = judge_with(text.as_bytes(), Strictness::default(), catalogue);
    // What follows from two answers, such as the length of the cluster's domain, is told at either field.
    let asked = Question::ALL.into_iter().filter(|asked| {
        let answered = answers.get(*asked).is_some();
        *asked == question || (*asked < question && answered)
    });
    let fields: Vec<String> =
        asked.map(|asked| answers.field(asked)).filter(|field| !field.is_empty()).collect();
    // A rule may report another field than the one that the answer is in.
    let about = |finding: &Finding| {
        fields.contains(&finding.field) || finding.at.as_ref().is_some_and(|at| fields.contains(at))
    };
    verdict.findings.into_iter().find(|finding| finding.is_error() && about(finding))
}

/// A pull secret on one line, as it is handed out: lines that it was broken into are joined.
#[must_use]
pub fn one_line(secret: &Secret<String>) -> Secret<String> {
    Secret::new(secret.expose().lines().map(str::trim).collect())
}

/// Whether a pull secret goes on behind what there is of it.
#[must_use]
pub fn is_cut_off(secret: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(secret).is_err_and(|fault| fault.is_eof())
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_install_config::verdict::Outcome;

    const SECRET: &str = r#"{"auths":{"registry.example.com":{"auth":"ZmFrZTpmYWtl"}}}"#;

    fn answers(platform: &str, region: &str) -> Answers {
        Answers {
            ssh_key: Some(String::new()),
            platform: Some(platform.to_owned()),
            region: Some(region.to_owned()),
            base_domain: Some("example.com".to_owned()),
            zone_group: Some("dns-rg".to_owned()),
            name: Some("demo".to_owned()),
            ..Answers::default()
        }
    }

    fn message(question: Question, answers: &Answers) -> Option<String> {
        fault(question, answers, None, Catalogue::embedded()).map(|finding| finding.message)
    }

    #[test]
    fn every_platform_of_the_wizard_gives_a_config_that_is_accepted() {
        let catalogue = Catalogue::embedded();
        let release = catalogue.default_release().unwrap_or_default();
        let secret = Secret::new(SECRET.to_owned());
        let mut seen = 0;
        for (name, survey) in platforms() {
            let regions = survey.regions(catalogue, release, "");
            let region = regions.iter().find(|region| region.offered).map(|region| region.id);
            let text = text(&answers(name, region.unwrap_or_default()), Some(&secret), catalogue);
            let verdict = judge_with(text.as_bytes(), Strictness::default(), catalogue);
            assert_eq!(verdict.outcome, Outcome::Accepted, "{name}: {:?}", verdict.findings);
            seen += 1;
        }
        assert_eq!(seen, 2);
    }

    #[test]
    fn an_answer_is_judged_without_those_that_follow() {
        let mut answers = Answers { ssh_key: Some("nonsense".to_owned()), ..Answers::default() };
        let key = message(Question::SshKey, &answers);
        answers.set(Question::SshKey, String::new());
        assert_eq!(message(Question::SshKey, &answers), None);
        answers.set(Question::BaseDomain, "example_1.com".to_owned());
        let domain = message(Question::BaseDomain, &answers);
        assert!(domain.as_ref().is_some_and(|text| text.contains("`example_1.com`")), "{domain:?}");
        answers.set(Question::BaseDomain, "example.com".to_owned());
        assert_eq!(message(Question::BaseDomain, &answers), None);
        answers.set(Question::Name, "Demo".to_owned());
        let name = message(Question::Name, &answers);
        assert!(name.as_ref().is_some_and(|text| text.contains("`Demo`")), "{name:?}");
        let told = [("SSH key", key), ("base domain", domain), ("name", name)]
            .map(|(question, text)| (question.to_owned(), text.unwrap_or_default()));
        landfall_testing::assert_sentences("wizard-answers", told);
    }

    #[test]
    fn a_pull_secret_may_come_on_several_lines() {
        let broken = SECRET.replace(':', ":\n  ");
        assert!(is_cut_off("{\"auths\":") && !is_cut_off(SECRET) && !is_cut_off("nonsense"));
        assert_eq!(one_line(&Secret::new(broken)).expose(), SECRET);
        let secret = Secret::new("{}".to_owned());
        let answers = Answers::default();
        assert!(fault(Question::PullSecret, &answers, Some(&secret), Catalogue::embedded()).is_some());
    }

    #[test]
    fn machines_are_written_where_they_were_chosen() {
        let (catalogue, secret) = (Catalogue::embedded(), Secret::new(SECRET.to_owned()));
        let mut answers = answers("aws", "us-east-1");
        for question in Question::MACHINES {
            answers.set(question, String::new());
        }
        let usual = text(&answers, Some(&secret), catalogue);
        assert!(!usual.contains("controlPlane") && !usual.contains("publish"), "{usual}");
        for (question, answer) in
            Question::MACHINES.into_iter().zip(["m6i.2xlarge", "3", "m6i.large", "5", "Internal"])
        {
            answers.set(question, answer.to_owned());
        }
        let chosen = text(&answers, Some(&secret), catalogue);
        let verdict = judge_with(chosen.as_bytes(), Strictness::default(), catalogue);
        assert_eq!(verdict.outcome, Outcome::Accepted, "{:?}", verdict.findings);
        let config: Value = serde_yaml::from_str(&chosen).unwrap_or_default();
        assert_eq!(config["controlPlane"]["platform"]["aws"]["type"], "m6i.2xlarge");
        assert_eq!(
            (&config["compute"][0]["name"], &config["compute"][0]["replicas"]),
            (&json!("worker"), &json!(5))
        );
        assert_eq!(config["publish"], "Internal");
        for (question, wrong) in [
            (Question::ControlPlaneReplicas, "many"),
            (Question::ControlPlaneReplicas, "2"),
            (Question::ComputeReplicas, "-1"),
            (Question::Publish, "Public"),
        ] {
            let mut answers = answers.clone();
            answers.set(question, wrong.to_owned());
            assert!(message(question, &answers).is_some(), "{question:?}");
        }
    }

    #[test]
    fn a_region_without_a_published_image_takes_one() {
        let (catalogue, secret) = (Catalogue::embedded(), Secret::new(SECRET.to_owned()));
        let mut answers = answers("aws", "cn-north-1");
        assert!(answers.needs_image(catalogue) && answers.applies(Question::Image));
        answers.set(Question::Image, "ami-0123456789abcdef0".to_owned());
        let text = text(&answers, Some(&secret), catalogue);
        let verdict = judge_with(text.as_bytes(), Strictness::default(), catalogue);
        assert_eq!(verdict.outcome, Outcome::Accepted, "{:?}", verdict.findings);
        answers.set(Question::Region, "us-east-1".to_owned());
        assert!(!answers.needs_image(catalogue));
        answers.set(Question::Platform, "azure".to_owned());
        assert!(!answers.needs_image(catalogue) && !answers.applies(Question::Image));
    }

    #[test]
    fn later_answers_count_over_earlier_ones() {
        let earlier =
            Answers { name: Some("a".to_owned()), region: Some("r".to_owned()), ..Answers::default() };
        let later = Answers { name: Some("b".to_owned()), ..Answers::default() };
        let all = later.over(&earlier);
        assert_eq!((all.name.as_deref(), all.region.as_deref()), (Some("b"), Some("r")));
        assert!(Answers::default().is_empty() && !all.is_empty());
    }
}
