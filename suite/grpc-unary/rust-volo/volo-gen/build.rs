//! Compiles what `volo.yml` names.

fn main() {
    volo_build::ConfigBuilder::default()
        .write()
        .expect("volo.yml and the contract that it names can be compiled");
}
