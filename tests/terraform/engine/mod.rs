//! The engine with the real terraform and its built-in resource, and with a program that plays terraform where
//! the built-in resource cannot do what a cloud's does.

mod environment;
mod fixture;
mod gone;
mod install;
mod played;
mod runs;
mod stops;
