//! A subscription, a config and a directory: a cluster that can be created on the Azure of these tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::azure::arm::{Azure, Scene};
use crate::azure::scene::{self, with_ids};
use crate::ignition::{bootstrap, pointer};
use crate::plugins;
use crate::program::{Landfall, Ran};
use crate::proxy::{Proxy, Way};
use crate::services;

/// The provider of these tests.
const PROVIDER: &str = "terraform-provider-azurerm";

/// In every secret that a test makes up.
const CANARY: &str = "c4n4ry";

/// Part of an address that opens what it names to whoever has it.
const SIGNATURE: &str = "&sig=";

/// The file that says which cluster a directory is of.
const METADATA: &str = "metadata.json";

/// Servers of these tests share few processors with each other, so a run waits for them longer than usual.
const PATIENT: &[&str] = &["--timeout", "30s", "--deadline", "10m"];

/// A cloud of Azure by its real names.
pub struct Named {
    pub location: &'static str,
    pub manager: &'static str,
    pub login: &'static str,
    pub graph: &'static str,
    pub blobs: &'static str,
}

/// The clouds by their names in configs.
pub const CLOUDS: [(&str, Named); 3] = [
    (
        "AzurePublicCloud",
        Named {
            location: "eastus",
            manager: "management.azure.com",
            login: "login.microsoftonline.com",
            graph: "graph.microsoft.com",
            blobs: "blob.core.windows.net",
        },
    ),
    (
        "AzureUSGovernmentCloud",
        Named {
            location: "usgovvirginia",
            manager: "management.usgovcloudapi.net",
            login: "login.microsoftonline.us",
            graph: "graph.microsoft.us",
            blobs: "blob.core.usgovcloudapi.net",
        },
    ),
    (
        "AzureChinaCloud",
        Named {
            location: "chinanorth3",
            manager: "management.chinacloudapi.cn",
            login: "login.chinacloudapi.cn",
            graph: "microsoftgraph.chinacloudapi.cn",
            blobs: "blob.core.chinacloudapi.cn",
        },
    ),
];

/// A cluster that can be created.
pub struct Installation {
    pub azure: Azure,
    landfall: Landfall,
    ignition: TempDir,
    proxy: Proxy,
    /// A plugin directory in place of the usual one.
    plugins: Option<TempDir>,
}

impl Installation {
    /// The same with releases of the provider that begin so, and no others.
    pub fn with_releases(self, start: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let below = Path::new("registry.terraform.io/hashicorp/azurerm");
        std::fs::create_dir_all(folder.path().join(below)).unwrap();
        let mut count = 0;
        for entry in std::fs::read_dir(Path::new(plugins()).join(below)).unwrap().map(Result::unwrap) {
            if entry.file_name().to_string_lossy().starts_with(start) {
                let release = folder.path().join(below).join(entry.file_name());
                std::fs::create_dir(&release).unwrap();
                // Terraform follows links to the folder of a platform, not to that of a release.
                for platform in std::fs::read_dir(entry.path()).unwrap().map(Result::unwrap) {
                    std::os::unix::fs::symlink(platform.path(), release.join(platform.file_name())).unwrap();
                }
                count += 1;
            }
        }
        if count == 0 {
            services::missing("azurerm", &format!("the plugin directory has no release {start}"));
        }
        Self { plugins: Some(folder), ..self }
    }

    fn plugins(&self) -> &str {
        match &self.plugins {
            Some(folder) => folder.path().to_str().unwrap(),
            None => plugins(),
        }
    }

    /// In a cloud, with lines of YAML more below `platform.azure` and in the control plane's pool; `edit` changes the
    /// config, and what the cloud holds.
    pub fn prepare(
        cloud: &str,
        platform: &str,
        machines: &str,
        edit: impl FnOnce(String, &mut Scene) -> String,
    ) -> Self {
        let (name, named) = CLOUDS.iter().find(|(known, _)| *known == cloud).unwrap();
        let mut scene = scene::of_cloud(named.location, &format!("https://{}/", named.manager));
        let blobs = format!("*.{}", named.blobs);
        scene.names = [named.manager, named.login, named.graph, &blobs].map(str::to_owned).to_vec();
        scene.blob_suffix = named.blobs;
        let text = scene::config_with(named.location, platform, machines);
        let text = text.replace("AzurePublicCloud", name).replace("ZmFrZTpmYWtl", "YTpjNG40cnkK");
        let text = edit(text, &mut scene);
        let azure = Azure::start(scene);
        let port = azure.port;
        let proxy = Proxy::start(move |_| Way::To(port));
        let landfall = with_ids(Landfall::new(&text))
            .naming("SSL_CERT_FILE", "ca.pem", &azure.pem)
            .with("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))
            .with("AZURE_CLIENT_SECRET", scene::SECRET);
        let ignition = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(ignition.path().join(name), text).unwrap();
        let domain = "demo.example.com";
        write("master.ign", &pointer(domain, "master", &azure.pem));
        write("worker.ign", &pointer(domain, "worker", &azure.pem));
        write("bootstrap.ign", &bootstrap(&format!("{CANARY}ignition")));
        Self { azure, landfall, ignition, proxy, plugins: None }
    }

    /// The cluster directory.
    pub fn directory(&self) -> &Path {
        self.landfall.directory()
    }

    /// What leads a program to this cloud.
    pub fn environment(&self) -> [(&'static str, &str); 2] {
        ["SSL_CERT_FILE", "HTTPS_PROXY"].map(|name| (name, self.landfall.variable(name)))
    }

    /// The hosts that were asked.
    pub fn hosts(&self) -> BTreeSet<String> {
        self.proxy.hosts()
    }

    /// `landfall create cluster` with more flags, however it ends.
    pub fn try_create(&self, more: &[&str]) -> Ran {
        let folder = self.ignition.path().to_str().unwrap();
        let engine = ["--engine", "terraform", "--plugin-dir", self.plugins()];
        let command = [&["create", "cluster", "--yes", "--ignition", folder][..], &engine].concat();
        self.heard(&[&command[..], PATIENT, more].concat())
    }

    /// The same, which must succeed; gives what it says.
    pub fn create(&self, more: &[&str]) -> Value {
        let said = self.try_create(more).ends(0).json();
        assert_eq!(said["outcome"], "done", "{said}");
        said
    }

    /// `landfall destroy bootstrap`, which must succeed.
    pub fn destroy_bootstrap(&self) -> Value {
        let command = ["destroy", "bootstrap", "--yes", "--force", "--plugin-dir", self.plugins()];
        let said = self.heard(&[&command[..], PATIENT].concat()).ends(0).json();
        assert_eq!(said["outcome"], "done", "{said}");
        said
    }

    /// `landfall destroy cluster`, which must succeed with nothing but `metadata.json`.
    pub fn destroy(&self) -> Value {
        self.keep_metadata_alone();
        let said = self.heard(&["destroy", "cluster", "--yes"]).ends(0).json();
        assert_eq!(said["outcome"], "gone", "{said}");
        assert!(!self.directory().join(METADATA).exists());
        said
    }

    fn keep_metadata_alone(&self) {
        for entry in std::fs::read_dir(self.directory()).unwrap().map(Result::unwrap) {
            let path = entry.path();
            match path.is_dir() {
                _ if path.ends_with(METADATA) => {}
                true => std::fs::remove_dir_all(&path).unwrap(),
                false => std::fs::remove_file(&path).unwrap(),
            }
        }
    }

    /// Runs a command as loudly as can be and looks for secrets in all that came of it.
    fn heard(&self, command: &[&str]) -> Ran {
        let log = self.landfall.write("landfall.log", "");
        let loudly = [command, &["-o", "json", "-v", "--log-file", log.as_str()]].concat();
        let ran = self.landfall.run(&loudly);
        let log = std::fs::read_to_string(log).unwrap();
        for (what, text) in [("output", &ran.out), ("errors", &ran.err), ("log", &log)] {
            for secret in [CANARY, SIGNATURE] {
                assert!(!text.contains(secret), "{command:?} shows a secret in its {what}: {text}");
            }
        }
        ran
    }
}

/// The plugin directory, for a terraform that is there.
pub fn plugins() -> &'static str {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| plugins::folder(PROVIDER).filter(|_| plugins::has_terraform()));
    let Some(folder) = folder.as_ref().and_then(|folder| folder.to_str()) else {
        services::missing("azurerm", "it needs terraform and a plugin directory with the azurerm provider");
    };
    folder
}
