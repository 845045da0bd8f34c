//! What Rust means is what the device does: bit for bit, in vectors and one by one.

mod control;
mod floats;
mod integers;
mod names;
mod support;
