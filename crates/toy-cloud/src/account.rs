//! The cloud itself: a JSON file with one account, which every call reads and writes as a whole.

#![allow(clippy::disallowed_methods, reason = "the file is the cloud")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use landfall_model::config::InstallConfig;
use landfall_platform::World;
use landfall_platform::native::Properties;
use serde::{Deserialize, Serialize};

/// The environment variable that names the file.
const FILE: &str = "TOY_CLOUD";

/// One call at a time.
static CALLS: Mutex<()> = Mutex::new(());

/// What the cloud holds.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    /// Id of the account.
    pub(super) account: String,
    /// How many machines it may have.
    pub(super) machine_limit: usize,
    /// Everything that was created, by id.
    #[serde(default)]
    pub(super) resources: BTreeMap<String, Held>,
}

/// A resource.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Held {
    pub(super) kind: String,
    pub(super) name: String,
    /// The infrastructure id of its cluster.
    pub(super) cluster: String,
    pub(super) properties: Properties,
}

impl Held {
    /// Whether another resource refers to it.
    pub(super) fn refers_to(&self, id: &str) -> bool {
        self.properties.values().any(|value| value.as_str() == Some(id))
    }
}

/// The way to the cloud.
#[derive(Debug)]
pub(super) struct Account {
    file: Option<PathBuf>,
    /// The region of the config.
    pub(super) region: String,
}

impl Account {
    pub(super) fn of(world: &dyn World, config: &InstallConfig) -> Self {
        let section = config.platform.toy.as_ref();
        let region = section.map(|toy| toy.region.clone()).unwrap_or_default();
        Self { file: world.variable(FILE).map(PathBuf::from), region }
    }

    /// Reads the cloud.
    ///
    /// # Errors
    /// Why it did not answer.
    pub(super) fn read(&self) -> Result<Content, String> {
        let _alone = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        self.load()
    }

    /// Changes the cloud with one call.
    ///
    /// # Errors
    /// Why it did not answer.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Content) -> T) -> Result<T, String> {
        let _alone = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut content = self.load()?;
        let result = change(&mut content);
        let path = self.file.as_deref().ok_or_else(|| format!("{FILE} is not set"))?;
        let bytes = serde_json::to_vec_pretty(&content).map_err(|fault| fault.to_string())?;
        std::fs::write(path, bytes).map_err(|fault| format!("{}: {fault}", path.display()))?;
        Ok(result)
    }

    fn load(&self) -> Result<Content, String> {
        let path = self.file.as_deref().ok_or_else(|| format!("{FILE} is not set"))?;
        let bytes = std::fs::read(path).map_err(|fault| format!("{}: {fault}", path.display()))?;
        serde_json::from_slice(&bytes).map_err(|fault| format!("{}: {fault}", path.display()))
    }
}
