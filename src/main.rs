//! The `turnscope` command.

fn main() {}
