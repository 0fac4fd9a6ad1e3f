//! What makes the infrastructure of a cluster.

/// What makes the infrastructure of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Terraform or `OpenTofu`.
    Terraform,
    /// Azure Service Operator.
    Aso,
    /// Landfall itself.
    #[default]
    Native,
}

impl Engine {
    /// Its name, on the command line and in `metadata.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::Aso => "aso",
            Self::Native => "native",
        }
    }

    /// Every engine.
    pub const ALL: [Self; 3] = [Self::Terraform, Self::Aso, Self::Native];

    /// The engine of this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_known_by_its_name() {
        for engine in Engine::ALL {
            assert_eq!(Engine::named(engine.name()), Some(engine));
        }
        assert_eq!(Engine::named("pulumi"), None);
    }
}
