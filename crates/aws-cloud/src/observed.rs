//! Enters each call of the SDK in the list of calls that are under way.

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeSerializationInterceptorContextRef, FinalizerInterceptorContextRef,
};
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::{ConfigBag, Storable, StoreReplace};
use landfall_net::calls::{self, Call};

/// Enters each call when it begins, and takes it out when it has ended.
#[derive(Debug)]
pub(super) struct Observed;

/// A call of the SDK with all its repetitions; nothing once it has ended.
#[derive(Debug)]
struct Entry(#[allow(dead_code, reason = "it ends the call when it is dropped")] Option<Call>);

impl Storable for Entry {
    type Storer = StoreReplace<Self>;
}

impl Intercept for Observed {
    fn name(&self) -> &'static str {
        "Observed"
    }

    fn read_before_serialization(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let name = config.load::<Metadata>().map(|data| format!("{} {}", data.service(), data.name()));
        config.interceptor_state().store_put(Entry(name.map(calls::begin)));
        Ok(())
    }

    fn read_after_execution(
        &self,
        _: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        config.interceptor_state().store_put(Entry(None));
        Ok(())
    }
}
