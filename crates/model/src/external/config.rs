//! `platform.external`: `docs/install-config.md`, section 4.8.

crate::config::value::model! {
    /// A cluster on a platform that a partner's components integrate.
    pub struct Platform {
        /// Name of the platform, shown in the cluster's infrastructure.
        pub platform_name: String,
        /// Whether the platform has an external cloud controller manager.
        #[schemars(extend("examples" = ["External"]))]
        pub cloud_controller_manager: String,
    }
}
