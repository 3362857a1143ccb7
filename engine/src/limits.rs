//! Limits of this process.

use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};

/// Allows as many open files as this user may have at all: each connection is one, and the
/// usual soft limit of 1,024 is there for programs that use select(2).
pub fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Not granted, a later connection fails and says so.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    );
}
