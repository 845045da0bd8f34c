//! Faults that neighbouring projects have had, one test each. The numbers are those of this project's list of them.

mod activation;
mod norm;
mod offset;
mod rope;
