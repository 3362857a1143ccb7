//! From a spec to a running program.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use crate::child::{self, Inheritance, Report, Step};
use crate::image::Image;
use crate::output::Output;
use crate::program::{BeforeExec, Program};
use crate::spec::Spec;
use crate::sys::{self, check, Pid, Read, Signal};
use crate::trace::Trace;

/// `signals` is for the program to poll while it runs.
pub fn spawn(spec: &Spec, signals: OwnedFd) -> Result<Program, String> {
    let image = Image::new(spec)?;
    let stdin_path = spec.stdin.as_deref().unwrap_or("/dev/null");
    let stdin = File::open(stdin_path)
        .map_err(|error| format!("cannot read {stdin_path}: {}", sys::describe(&error)))?;
    let (stdout, stdout_target) = Output::create(spec.stdout.as_deref(), spec.output_limit)?;
    let (stderr, stderr_target) = Output::create(spec.stderr.as_deref(), spec.output_limit)?;
    let no_pipe = |error: io::Error| format!("cannot make a pipe: {}", sys::describe(&error));
    let (permission, permission_sender) = sys::pipe().map_err(no_pipe)?;
    let (status, status_sender) = sys::pipe().map_err(no_pipe)?;

    let launcher = sys::own_pid();
    // SAFETY: this process has one thread, so the child may do whatever it could have done.
    let pid = check(unsafe { libc::fork() })
        .map_err(|error| format!("cannot fork: {}", sys::describe(&error)))?;
    if pid == 0 {
        drop(permission_sender);
        let inheritance = Inheritance {
            standard: [stdin.as_fd(), stdout_target.as_fd(), stderr_target.as_fd()],
            permission: &permission,
            status: &status_sender,
            launcher,
        };
        child::become_program(spec, &image, &inheritance);
    }
    drop((permission, status_sender, stdout_target, stderr_target));
    let mut trace = if spec.peak_memory {
        Trace::seize(pid)
    } else {
        None
    };
    let _ = rustix::io::write(&permission_sender, &[1]);
    let mut exits = Vec::new();
    let before_exec = await_exec(&status, &mut trace, &mut exits).map_err(|failure| {
        sys::kill(pid, Signal::KILL);
        failure.explain(spec, &image)
    })?;
    let mut program = Program::new(pid, before_exec, [stdout, stderr], trace, signals);
    for (pid, status) in exits {
        program.note(pid, status);
    }
    Ok(program)
}

struct Failure {
    step: u8,
    errno: i32,
}

impl Failure {
    fn explain(&self, spec: &Spec, image: &Image) -> String {
        let cause = sys::describe(&io::Error::from_raw_os_error(self.errno));
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
        if self.step == Step::Network as u8 {
            return format!("cannot give {name} a network of its own: {cause}");
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
fn await_exec(
    status: &OwnedFd,
    trace: &mut Option<Trace>,
    exits: &mut Vec<(Pid, libc::c_int)>,
) -> Result<BeforeExec, Failure> {
    let mut before_exec = None;
    let mut record = [0; Report::LENGTH];
    loop {
        let ([reported], []) =
            sys::poll([Some(status.as_fd())], [], Some(Duration::from_millis(5)));
        if !reported {
            if let Some(trace) = trace {
                exits.extend(answer_stops(trace));
            }
            continue;
        }
        match sys::read(status, &mut record) {
            Read::Bytes(Report::LENGTH) => match Report::decode(&record) {
                Report::Ready {
                    at_ns,
                    peak_bytes,
                    cpu_ns,
                } => {
                    before_exec = Some(BeforeExec {
                        until_ns: at_ns,
                        peak_bytes,
                        cpu_ns,
                    });
                }
                Report::Failed { step, errno } => return Err(Failure { step, errno }),
            },
            Read::Nothing => {}
            Read::Bytes(_) | Read::End => {
                let killed = Failure {
                    step: Step::Isolate as u8,
                    errno: libc::ESRCH,
                };
                return before_exec.ok_or(killed); // by somebody else, if it never got ready
            }
        }
    }
}

/// Answers trace stops; the exits that came with them.
fn answer_stops(trace: &mut Trace) -> Vec<(Pid, libc::c_int)> {
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
