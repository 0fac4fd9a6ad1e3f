//! `platform.none`: `docs/install-config.md`, section 4.8.

crate::config::value::model! {
    /// A cluster whose machines and networks the user creates.
    pub struct Platform {
    }
}
