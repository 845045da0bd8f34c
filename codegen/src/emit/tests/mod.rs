//! What is emitted, looked at as C++.

mod cpp;
mod integers;
