//! memex
fn main() {}
