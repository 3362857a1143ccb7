//! From a spec to a running program.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use crate::image::Image;
use crate::output::Output;
use crate::program::{self, Step, REPORT};
use crate::spec::Spec;
use crate::sys::{self, check, Pid};
use crate::trace::Trace;

pub struct Born {
    pub pid: Pid,
    /// Just before exec.
    pub at_ns: u64,
    pub stdout: Output,
    pub stderr: Output,
    pub trace: Option<Trace>,
}

pub fn spawn(spec: &Spec) -> Result<Born, String> {
    let image = Image::new(spec)?;
    let stdin_path = spec.stdin.as_deref().unwrap_or("/dev/null");
    let stdin = File::open(stdin_path)
        .map_err(|error| format!("cannot read {stdin_path}: {}", sys::describe_error(&error)))?;
    let (stdout, stdout_target) = Output::create(spec.stdout.as_deref(), spec.output_limit)?;
    let (stderr, stderr_target) = Output::create(spec.stderr.as_deref(), spec.output_limit)?;
    let no_pipe = |error: io::Error| format!("cannot make a pipe: {}", sys::describe_error(&error));
    let (go, go_sender) = sys::pipe().map_err(no_pipe)?;
    let (news, news_sender) = sys::pipe().map_err(no_pipe)?;

    let launcher = sys::own_pid();
    // SAFETY: this process has one thread, so the child may do whatever it could have done.
    let pid = check(unsafe { libc::fork() })
        .map_err(|error| format!("cannot fork: {}", sys::describe_error(&error)))?;
    if pid == 0 {
        drop(go_sender);
        let standard = [
            stdin.as_raw_fd(),
            stdout_target.as_raw_fd(),
            stderr_target.as_raw_fd(),
        ];
        program::become_program(spec, &image, standard, &go, &news_sender, launcher);
    }
    drop((go, news_sender, stdout_target, stderr_target));
    let mut trace = if spec.peak_memory {
        Trace::seize(pid)
    } else {
        None
    };
    let _ = sys::write(go_sender.as_raw_fd(), &[1]);
    let at_ns = hear(&news, pid, &mut trace).map_err(|failure| failure.explain(spec, &image))?;
    Ok(Born {
        pid,
        at_ns,
        stdout,
        stderr,
        trace,
    })
}

struct Failure {
    step: u8,
    errno: i32,
}

impl Failure {
    fn explain(&self, spec: &Spec, image: &Image) -> String {
        let cause = sys::describe(self.errno);
        let name = &spec.argv[0];
        if self.step == Step::Directory as u8 {
            return format!("cannot enter {}: {cause}", spec.cwd);
        }
        if self.step == Step::Cpus as u8 {
            return format!(
                "cannot bind {name} to CPUs {:?}: {cause}",
                spec.cpus.as_deref().unwrap_or(&[])
            );
        }
        if self.step == Step::Run as u8 {
            let there = Path::new(&spec.cwd).join(&image.path).exists();
            let hint = if self.errno == libc::ENOENT && there {
                " (the file is there: its interpreter or loader is not)"
            } else {
                ""
            };
            return format!("cannot run {name}: {cause}{hint}");
        }
        format!("cannot prepare {name}: {cause}")
    }
}

/// Listens until the child has become the program (its end of the pipe closes at exec) or says why not.
/// A traced child that dies before that stops first, and has to be let go meanwhile.
fn hear(news: &OwnedFd, pid: Pid, trace: &mut Option<Trace>) -> Result<u64, Failure> {
    let mut at_ns = 0;
    let mut record = [0; REPORT];
    loop {
        let ([heard], []) = sys::poll([news.as_raw_fd()], [], Some(Duration::from_millis(5)));
        if !heard {
            if let Some(trace) = trace {
                while let Ok(Some((tid, status))) = sys::wait_any() {
                    if libc::WIFSTOPPED(status) {
                        trace.stopped(tid, status);
                    }
                }
            }
            continue;
        }
        match sys::read(news.as_raw_fd(), &mut record) {
            Ok(0) => return Ok(at_ns),
            Ok(_) if record[0] == Step::Exec as u8 => at_ns = program::value_of(record),
            Ok(_) => {
                sys::kill(pid, libc::SIGKILL);
                return Err(Failure {
                    step: record[0],
                    errno: program::value_of(record) as i32,
                });
            }
            Err(error) if sys::is_transient(&error) => {}
            Err(_) => return Ok(at_ns),
        }
    }
}
