//! From a spec to a running program.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use crate::image::Image;
use crate::output::Output;
use crate::program::{self, Report, Step};
use crate::spec::Spec;
use crate::sys::{self, check, Pid};
use crate::trace::Trace;

pub struct Born {
    pub pid: Pid,
    pub childhood: Childhood,
    pub stdout: Output,
    pub stderr: Output,
    pub trace: Option<Trace>,
    /// Exits already taken note of by wait, for the guard.
    pub exits: Vec<(Pid, i32)>,
}

/// What the kernel puts on the program's account, and was ours: from fork to just before exec.
#[derive(Debug, Clone, Copy)]
pub struct Childhood {
    pub until_ns: u64,
    pub peak_bytes: u64,
    pub cpu_ns: u64,
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
    let mut exits = Vec::new();
    let childhood = hear(&news, &mut trace, &mut exits).map_err(|failure| {
        sys::kill(pid, libc::SIGKILL);
        failure.explain(spec, &image)
    })?;
    Ok(Born {
        pid,
        childhood,
        stdout,
        stderr,
        trace,
        exits,
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
/// A traced child that dies before that stops first, and has to be let go meanwhile: exits that are
/// seen then are put aside.
fn hear(
    news: &OwnedFd,
    trace: &mut Option<Trace>,
    exits: &mut Vec<(Pid, i32)>,
) -> Result<Childhood, Failure> {
    let mut childhood = None;
    let mut record = [0; Report::LENGTH];
    loop {
        let ([heard], []) = sys::poll([news.as_raw_fd()], [], Some(Duration::from_millis(5)));
        if !heard {
            if let Some(trace) = trace {
                exits.extend(let_go(trace));
            }
            continue;
        }
        match sys::read(news.as_raw_fd(), &mut record) {
            Ok(Report::LENGTH) => match Report::decode(&record) {
                Report::Ready {
                    at_ns,
                    peak_bytes,
                    cpu_ns,
                } => {
                    childhood = Some(Childhood {
                        until_ns: at_ns,
                        peak_bytes,
                        cpu_ns,
                    });
                }
                Report::Failed { step, errno } => return Err(Failure { step, errno }),
            },
            Err(error) if sys::is_transient(&error) => {}
            _ => {
                let killed = Failure {
                    step: Step::Guard as u8,
                    errno: libc::ESRCH,
                };
                return childhood.ok_or(killed); // by somebody else, if it never got ready
            }
        }
    }
}

/// Answers trace stops; the exits that came with them.
fn let_go(trace: &mut Trace) -> Vec<(Pid, i32)> {
    let mut exits = Vec::new();
    while let Ok(Some((pid, status))) = sys::wait_any() {
        if libc::WIFSTOPPED(status) {
            trace.stopped(pid, status);
        } else {
            exits.push((pid, status));
        }
    }
    exits
}
