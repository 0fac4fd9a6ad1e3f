//! What makes the infrastructure of a cluster.

/// What makes the infrastructure of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Terraform or `OpenTofu`.
    #[default]
    Terraform,
    /// Azure Service Operator.
    Aso,
}

impl Engine {
    /// Its name, on the command line and in `metadata.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::Aso => "aso",
        }
    }

    /// The engine of this name; the usual one where none is named.
    #[must_use]
    pub fn named(name: Option<&str>) -> Self {
        if name == Some(Self::Aso.name()) { Self::Aso } else { Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_known_by_its_name() {
        for engine in [Engine::Terraform, Engine::Aso] {
            assert_eq!(Engine::named(Some(engine.name())), engine);
        }
        assert_eq!(Engine::named(None), Engine::Terraform);
    }
}
