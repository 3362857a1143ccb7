//! What exec wants: a file, arguments, an environment, a directory.

use std::ffi::CString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::spec::Spec;

/// The program, its arguments and its environment, as exec wants them.
pub struct Image {
    pub path: String,
    pub path_c: CString,
    pub arguments: Vec<CString>,
    pub environment: Vec<CString>,
    pub directory: CString,
}

impl Image {
    pub fn new(spec: &Spec) -> Result<Image, String> {
        let terminated = |text: &str| {
            CString::new(text)
                .map_err(|_| format!("cannot run {}: a NUL byte in {text:?}", spec.argv[0]))
        };
        let path = find(spec)?;
        Ok(Image {
            path_c: terminated(&path)?,
            path,
            arguments: spec
                .argv
                .iter()
                .map(|text| terminated(text))
                .collect::<Result<_, _>>()?,
            environment: spec
                .env
                .iter()
                .map(|(name, value)| terminated(&format!("{name}={value}")))
                .collect::<Result<_, _>>()?,
            directory: terminated(&spec.cwd)?,
        })
    }
}

/// A name without a slash is looked up in the PATH that the program itself is given.
fn find(spec: &Spec) -> Result<String, String> {
    let name = &spec.argv[0];
    if name.contains('/') {
        return Ok(name.clone());
    }
    let path = spec.env.get("PATH").map_or("", String::as_str);
    path.split(':')
        .map(|directory| Path::new(&spec.cwd).join(directory).join(name))
        .find(|file| {
            file.metadata()
                .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
        })
        .and_then(|file| file.to_str().map(str::to_owned))
        .ok_or_else(|| format!("cannot run {name}: not found in PATH={path}"))
}
