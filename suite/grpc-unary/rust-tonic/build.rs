//! Compiles the workload's contract, kept once beside the contenders' folders.

use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    let mut build = tonic_prost_build::configure()
        .build_client(false)
        // Reflection serves the contract as compiled.
        .file_descriptor_set_path(out_dir.join("greeter_descriptor.bin"));
    if env::var_os("CARGO_FEATURE_SMALL_BUFFERS").is_some() {
        build = build.codec_path("crate::codec::SmallMessageCodec");
    }
    build.compile_protos(&["../greeter.proto"], &[".."])?;
    Ok(())
}
