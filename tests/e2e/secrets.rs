//! Secrets that an installation is given, and the places that they must not be in.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use walkdir::WalkDir;

/// In every secret that a test makes up.
const CANARY: &str = "c4n4ryc4n4ry";
/// Part of a URL that opens what it names to whoever has it.
const SIGNATURE: &str = "X-Amz-Signature=";
/// What is in `testdata/quickstart/aws.yaml` in place of a password.
const PLACEHOLDER: &str = "ZmFrZTpmYWtl";
/// The user's own file, which landfall does not write.
const CONFIG: &str = "install-config.yaml";
/// The folder of landfall's records, with the logs of terraform.
const RECORDS: &str = ".landfall";

/// The secrets of an installation.
pub struct Secrets {
    key: String,
    ignition: String,
    pull: String,
}

impl Secrets {
    /// With the secret key of a user.
    pub fn with_key(key: &str) -> Self {
        let pull = STANDARD.encode(format!("lander:{CANARY}pull"));
        Self { key: key.to_owned(), ignition: format!("{CANARY}ignition"), pull }
    }

    /// A config with a secret in its pull secret.
    pub fn hidden_in_config(&self, config: &str) -> String {
        let hidden = config.replace(PLACEHOLDER, &self.pull);
        assert_ne!(hidden, config);
        hidden
    }

    /// What is to be put into Ignition configs.
    pub fn ignition(&self) -> &str {
        &self.ignition
    }

    fn all(&self) -> [&str; 4] {
        [&self.key, CANARY, &self.pull, SIGNATURE]
    }

    /// Fails if one of them is in a text.
    #[track_caller]
    pub fn are_not_in(&self, what: &str, text: &str) {
        for secret in self.all() {
            if let Some(at) = text.find(secret) {
                let around: String = text[..at].chars().rev().take(300).collect();
                let around: String = around.chars().rev().collect();
                panic!("{what}: a secret is shown after this:\n{around}");
            }
        }
    }

    /// Fails if one of them is in a file that others can read, or in a record or a log, whoever reads that.
    #[track_caller]
    pub fn are_kept_in(&self, directory: &Path) {
        for entry in WalkDir::new(directory).into_iter().map(Result::unwrap) {
            let below = entry.path().strip_prefix(directory).unwrap();
            // The provider is linked to, or is a file of a hundred megabytes without secrets.
            let is_provider = below.components().any(|part| part.as_os_str() == "providers");
            if !entry.file_type().is_file() || is_provider || below == Path::new(CONFIG) {
                continue;
            }
            let open_to_others = entry.metadata().unwrap().permissions().mode() & 0o077 != 0;
            if open_to_others || below.starts_with(RECORDS) {
                let text = String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned();
                self.are_not_in(&below.display().to_string(), &text);
            }
            let is_state = below.file_name().is_some_and(|name| name.to_string_lossy().contains("tfstate"));
            assert!(!(is_state && open_to_others), "others can read {}", below.display());
        }
    }
}
