//! The files that a run leaves behind: each second is on disk as soon as it is over.

use super::options::LoadOptions;
use deadheat_load::error::{Error, Result};
use deadheat_load::load::run_control::Interval;
use deadheat_load::output::{csv, hdr_log};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The files that were asked for; made before any load, so that a wrong path is told first.
pub struct Files {
    csv: Option<Named>,
    hdr: Option<Named>,
}

struct Named {
    path: PathBuf,
    file: File,
}

impl Files {
    /// # Errors
    /// One of them cannot be made.
    pub fn create(options: &LoadOptions) -> Result<Self> {
        let create = |path: &Option<_>| path.as_deref().map(Named::create).transpose();
        Ok(Self {
            csv: create(&options.csv)?,
            hdr: create(&options.hdr)?,
        })
    }

    /// Whether there are any.
    pub fn are_asked_for(&self) -> bool {
        self.csv.is_some() || self.hdr.is_some()
    }

    /// The load begins.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn begin(&mut self, started: SystemTime) -> Result<()> {
        if let Some(csv) = &mut self.csv {
            csv.write(csv::heading)?;
        }
        if let Some(hdr) = &mut self.hdr {
            hdr.write(|file| hdr_log::heading(file, started))?;
        }
        Ok(())
    }

    /// An interval is over.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn add(&mut self, interval: &Interval) -> Result<()> {
        if let Some(csv) = &mut self.csv {
            csv.write(|file| csv::line(file, interval))?;
        }
        if let Some(hdr) = &mut self.hdr {
            hdr.write(|file| hdr_log::line(file, interval))?;
        }
        Ok(())
    }
}

impl Named {
    fn create(path: &Path) -> Result<Self> {
        let file = File::create(path)
            .map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Writes whole lines with one system call.
    fn write(&mut self, lines: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Result<()> {
        let mut text = Vec::new();
        lines(&mut text)
            .and_then(|()| io::Write::write_all(&mut self.file, &text))
            .map_err(|error| Error::usage(format!("{}: {error}", self.path.display())))
    }
}
