//! Compiles, caches, loads and launches SYCL libraries. Knows nothing of kernels' Rust source or IR: it takes header text.

mod argument;
pub mod bundle;
pub mod cache;
mod device;
pub mod driver;
mod element;
mod environment;
mod events;
mod home;
mod key;
mod libsycl;
mod lock;
mod memory;
mod module;
mod modules;
pub mod nvidia;
mod process;
mod queue;
mod runtime;
mod scratch;
mod shim;
pub mod toolchain;
pub mod trial;
mod trust;
mod unit;

pub use argument::{Argument, ArgumentKind, Arguments};
pub use device::{Device, DeviceKind, Selector};
pub use element::{Dtype, Element};
pub use events::{Summary, summary};
pub use key::{Key, KeyFields};
pub use memory::{Buffer, MemoryError, View};
pub use module::{CallError, Function, LoadError, Module};
pub use queue::Queue;
pub use runtime::{Error, Runtime, Sycl};
pub use shim::SyclError;
pub use unit::{Source, Target, Unit};
