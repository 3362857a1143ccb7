//! The contract: which services and messages there are.

use super::spec::CallSpec;
use crate::error::{Error, Result};
use prost_reflect::DescriptorPool;
use std::path::{Path, PathBuf};

/// Reads the contract from its file.
///
/// # Errors
/// It cannot be read, or is wrong.
pub fn contract(spec: &CallSpec) -> Result<DescriptorPool> {
    match (&spec.proto, &spec.protoset) {
        (Some(path), None) => compile(path, &spec.import_paths),
        (None, Some(path)) => load(path),
        _ => Err(Error::usage("gRPC: --proto or --protoset, not both")),
    }
}

fn compile(path: &Path, import_paths: &[PathBuf]) -> Result<DescriptorPool> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let wrong = |why: &dyn std::fmt::Display| Error::usage(format!("{}: {why}", path.display()));
    // The file is called by its place below the first of them that holds it, as protoc does it.
    let folders = import_paths.iter().map(PathBuf::as_path).chain([folder]);
    let set = protox::compile([path], folders).map_err(|error| wrong(&error))?;
    DescriptorPool::from_file_descriptor_set(set).map_err(|error| wrong(&error))
}

fn load(path: &Path) -> Result<DescriptorPool> {
    let wrong = |why: &dyn std::fmt::Display| Error::usage(format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
    DescriptorPool::decode(bytes.as_slice()).map_err(|error| wrong(&error))
}
