//! The child's side, from fork to exec.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::{null, null_mut};

use rustix::io::Errno;
use rustix::process::{getrlimit, setrlimit, Resource, Rlimit, Signal};
use rustix::thread::{move_into_link_name_space, sched_setaffinity, CpuSet, LinkNameSpaceType};

use crate::image::Image;
use crate::procfs;
use crate::spec::Spec;
use crate::sys::{self, check, Pid};

/// Enough for any load we make, the same for all: some runtimes raise a low soft limit, some do not.
const OPEN_FILES: u64 = 65_536;

/// How far the child came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    Exec,
    Isolate,
    Directory,
    Cpus,
    Network,
    Descriptors,
    Run,
}

/// What the child says of itself through the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// It is about to become the program. The kernel counts what it was until now as the program's
    /// too: its peak memory, and the CPU time that it has used.
    Ready {
        at_ns: u64,
        peak_bytes: u64,
        cpu_ns: u64,
    },
    Failed {
        step: u8,
        errno: i32,
    },
}

impl Report {
    pub const LENGTH: usize = 1 + 3 * size_of::<u64>();

    pub fn encode(self) -> [u8; Report::LENGTH] {
        let (step, values) = match self {
            Report::Ready {
                at_ns,
                peak_bytes,
                cpu_ns,
            } => (Step::Exec as u8, [at_ns, peak_bytes, cpu_ns]),
            Report::Failed { step, errno } => (step, [errno as u64, 0, 0]),
        };
        let mut record = [0; Report::LENGTH];
        record[0] = step;
        for (bytes, value) in record[1..].chunks_exact_mut(8).zip(values) {
            bytes.copy_from_slice(&value.to_ne_bytes());
        }
        record
    }

    pub fn decode(record: &[u8; Report::LENGTH]) -> Report {
        let mut values = record[1..].chunks_exact(8).map(|bytes| {
            let mut value = [0; 8];
            value.copy_from_slice(bytes);
            u64::from_ne_bytes(value)
        });
        let mut next = || values.next().unwrap_or_default();
        if record[0] == Step::Exec as u8 {
            Report::Ready {
                at_ns: next(),
                peak_bytes: next(),
                cpu_ns: next(),
            }
        } else {
            Report::Failed {
                step: record[0],
                errno: next() as i32,
            }
        }
    }
}

fn send(report: Report, status: &OwnedFd) {
    let _ = rustix::io::write(status, &report.encode());
}

/// What the child was given by the launcher.
pub struct Inheritance<'a> {
    pub standard: [BorrowedFd<'a>; 3],
    /// One byte arrives here when the child may exec.
    pub permission: &'a OwnedFd,
    /// Where its reports go; closed by exec.
    pub status: &'a OwnedFd,
    pub launcher: Pid,
}

/// The child's side. Never returns.
pub fn become_program(spec: &Spec, image: &Image, inheritance: &Inheritance) -> ! {
    let (step, error) = match prepare(spec, image, inheritance) {
        Err((step, error)) => (step, error),
        Ok(()) => {
            let pid = sys::own_pid();
            let ready = Report::Ready {
                peak_bytes: procfs::peak_memory_bytes(pid).unwrap_or(u64::MAX),
                cpu_ns: sys::process_cpu_ns(pid).unwrap_or_default(),
                at_ns: sys::monotonic_ns(),
            };
            send(ready, inheritance.status);
            (Step::Run, exec(image))
        }
    };
    let failed = Report::Failed {
        step: step as u8,
        errno: error.raw_os_error().unwrap_or(0),
    };
    send(failed, inheritance.status);
    // SAFETY: ends this process without running what the launcher had planned for its own end.
    unsafe { libc::_exit(127) }
}

fn prepare(spec: &Spec, image: &Image, inheritance: &Inheritance) -> Result<(), (Step, io::Error)> {
    isolate(inheritance.launcher).map_err(|error| (Step::Isolate, error))?;
    rustix::process::chdir(&image.directory).map_err(|error| (Step::Directory, error.into()))?;
    if let Some(cpus) = &spec.cpus {
        bind(cpus).map_err(|error| (Step::Cpus, error))?;
    }
    if let Some(network) = &spec.network {
        enter_network(network).map_err(|error| (Step::Network, error))?;
    }
    set_descriptors(inheritance.standard).map_err(|error| (Step::Descriptors, error))?;
    // The launcher says when: it may have to trace us first.
    let mut byte = [0];
    match rustix::io::read(inheritance.permission, &mut byte) {
        Ok(1) => Ok(()),
        _ => Err((Step::Isolate, Errno::SRCH.into())),
    }
}

/// A session and group of its own, death with the launcher, no core files, signals as a shell gives them.
fn isolate(launcher: Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_pid());
    if parent != Some(launcher) {
        return Err(Errno::SRCH.into());
    }
    let no_core = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, no_core)?;
    // `None` is no limit, and more than anything.
    let files = getrlimit(Resource::Nofile);
    let allowed = files
        .maximum
        .map_or(OPEN_FILES, |hard| hard.min(OPEN_FILES));
    let soft = files.current.map(|soft| soft.max(allowed));
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: soft,
            ..files
        },
    )?;
    reset_signals()
}

/// Default dispositions and an empty mask.
fn reset_signals() -> io::Result<()> {
    // SAFETY: all pointers are to locals that outlive the calls.
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            // Fails for the two that cannot be changed. By the system call itself, since libc keeps
            // the first real-time signals for its own use and would leave them as they were inherited.
            let default = [0_u64; 4]; // the kernel's sigaction: handler, flags, restorer, mask
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                default.as_ptr(),
                null_mut::<u64>(),
                size_of::<u64>(),
            );
        }
        let mut none = zeroed();
        libc::sigemptyset(&mut none);
        check(libc::sigprocmask(libc::SIG_SETMASK, &none, null_mut())).map(drop)
    }
}

fn bind(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(Errno::INVAL.into());
        }
        set.set(cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}

fn enter_network(path: &str) -> io::Result<()> {
    let network = File::open(path)?;
    let kind = Some(LinkNameSpaceType::Network);
    Ok(move_into_link_name_space(network.as_fd(), kind)?)
}

/// Three descriptors, and every other closed by exec, wherever it came from.
fn set_descriptors([stdin, stdout, stderr]: [BorrowedFd; 3]) -> io::Result<()> {
    // The sources are above 2: std keeps 0, 1 and 2 open from the start.
    rustix::stdio::dup2_stdin(stdin)?;
    rustix::stdio::dup2_stdout(stdout)?;
    rustix::stdio::dup2_stderr(stderr)?;
    const CLOEXEC: libc::c_uint = 1 << 2;
    // SAFETY: no pointers.
    if unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, CLOEXEC) } == 0 {
        return Ok(());
    }
    // Before Linux 5.11.
    for fd in procfs::numbers("/proc/self/fd")
        .into_iter()
        .filter(|fd| *fd > 2)
    {
        // SAFETY: no pointers. The directory's own descriptor is closed by now, and fails.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(())
}

fn exec(image: &Image) -> io::Error {
    let list = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings
            .iter()
            .map(|text| text.as_ptr())
            .chain([null()])
            .collect()
    };
    let (arguments, environment) = (list(&image.arguments), list(&image.environment));
    // SAFETY: lists of valid C strings, each ended by a null.
    unsafe {
        libc::execve(
            image.path_c.as_ptr(),
            arguments.as_ptr(),
            environment.as_ptr(),
        )
    };
    io::Error::last_os_error()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_arrive_as_they_were_sent() {
        let ready = Report::Ready {
            at_ns: u64::MAX,
            peak_bytes: 1,
            cpu_ns: 1 << 40,
        };
        let failed = Report::Failed {
            step: Step::Run as u8,
            errno: libc::ENOENT,
        };
        for report in [ready, failed] {
            assert_eq!(Report::decode(&report.encode()), report);
        }
    }
}
