//! The workload's contract, as `build.rs` compiled it.

mod r#gen {
    include!(concat!(env!("OUT_DIR"), "/volo_gen.rs"));
}

pub use r#gen::volo_gen::*;
