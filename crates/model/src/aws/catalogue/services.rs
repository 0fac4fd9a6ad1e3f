//! The services whose endpoints a config may name.

use landfall_diagnostics::nearest;

use super::Catalogue;

impl Catalogue {
    /// The names of all services that may have endpoints of their own.
    pub fn services(&self) -> impl Iterator<Item = &str> {
        self.required_services.iter().chain(&self.optional_services).map(String::as_str)
    }

    /// The service that was probably meant by a name that is none's: by an alias such as `elb`, else the nearest.
    #[must_use]
    pub fn service_meant(&self, name: &str) -> Option<&str> {
        let lower = name.to_ascii_lowercase().replace([' ', '_'], "");
        let alias = self.service_aliases.get(&lower).map(String::as_str);
        alias.or_else(|| nearest(&lower, self.services()))
    }
}
