//! The service `Greeter` on tonic.

#[cfg(feature = "small-buffers")]
pub mod codec;
#[cfg(feature = "direct-route")]
mod direct_route;
mod service;

#[cfg(feature = "direct-route")]
pub use direct_route::DirectRoute;
pub use service::Greeter;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The workload's contract, as `build.rs` compiled it.
pub mod proto {
    tonic::include_proto!("greeter");

    /// What the reflection service serves.
    pub const FILE_DESCRIPTOR_SET: &[u8] =
        tonic::include_file_descriptor_set!("greeter_descriptor");
}
