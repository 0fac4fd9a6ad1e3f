//! An Azure Service Operator that clusters can use.

use futures::FutureExt as _;
use landfall_diagnostics::Finding;
use landfall_engine_aso::detect;
use landfall_engine_aso::detect::{Crd, DEPLOYMENT, Deployment, crd_name};

use super::super::operator::Lookout;
use super::*;

/// An operator that is there and can do all.
pub(super) struct Usable;

impl Lookout for Usable {
    fn operator(&self) -> BoxFuture<'_, Result<detect::Cluster, Fault>> {
        let crd = |kind: &landfall_engine_aso::kinds::Kind| Crd {
            name: crd_name(kind),
            served: vec![kind.versions[0].to_owned()],
            ..Crd::default()
        };
        let operator = Deployment {
            name: DEPLOYMENT.to_owned(),
            image: "operator:v2.19.0".to_owned(),
            available: 1,
            ..Deployment::default()
        };
        let cluster = detect::Cluster {
            crds: KINDS.iter().map(crd).collect(),
            deployments: vec![operator],
            ..detect::Cluster::default()
        };
        async move { Ok(cluster) }.boxed()
    }

    fn denied(&self) -> BoxFuture<'_, Result<Vec<Finding>, Fault>> {
        async { Ok(Vec::new()) }.boxed()
    }
}
