//! The processes that want libraries.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use oxysycl_runtime::cache::Cache;
use oxysycl_runtime::driver::Icpx;
use oxysycl_runtime::{Error, Runtime};
use rustix::process::{Pid, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::site::{LIBRARIES, Site, now, unit};

/// The variable with the time to stop, in nanoseconds since 1970.
const END: &str = "TEST_END";

/// All workers: whoever is killed is followed by another one.
pub(crate) struct Workers<'a> {
    site: &'a Site,
    end: u128,
    children: Mutex<Vec<Child>>,
    killed: Mutex<usize>,
}

impl<'a> Workers<'a> {
    pub(crate) fn start(site: &'a Site, count: usize, length: Duration) -> Self {
        let workers = Self {
            site,
            end: now() + length.as_nanos(),
            children: Mutex::default(),
            killed: Mutex::default(),
        };
        let children = (0..count).map(|_| workers.another()).collect();
        *workers.children.lock().unwrap() = children;
        workers
    }

    fn another(&self) -> Child {
        let mut command = self.site.process("work");
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.site.path("log"))
            .unwrap();
        command
            .env(END, self.end.to_string())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        command.spawn().unwrap()
    }

    /// Sends `signal`, which ends a process, to one of them, and puts another one into its place.
    pub(crate) fn kill(&self, signal: Signal) {
        let mut children = self.children.lock().unwrap();
        let number = fastrand::usize(..children.len());
        let child = &mut children[number];
        // One that is done is so for good.
        if child.try_wait().unwrap().is_none() {
            rustix::process::kill_process(Pid::from_child(child), signal).unwrap();
            child.wait().unwrap();
            *child = self.another();
            *self.killed.lock().unwrap() += 1;
        }
    }

    /// Stops one of them for `time`.
    pub(crate) fn stop(&self, time: Duration) {
        let send = |children: &MutexGuard<'_, Vec<Child>>, number: usize, signal| {
            // It fails for one that is done.
            let _ = rustix::process::kill_process(Pid::from_child(&children[number]), signal);
        };
        let children = self.children.lock().unwrap();
        let number = fastrand::usize(..children.len());
        send(&children, number, Signal::STOP);
        drop(children);
        std::thread::sleep(time);
        send(&self.children.lock().unwrap(), number, Signal::CONT);
    }

    /// Waits for those that were not killed, which all have to end well within `limit`. How many were killed.
    pub(crate) fn finish(self, limit: Duration) -> usize {
        let start = Instant::now();
        for mut child in self.children.into_inner().unwrap() {
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                assert!(start.elapsed() < limit, "process {} is not done", child.id());
                std::thread::sleep(Duration::from_millis(20));
            };
            let log = fs::read_to_string(self.site.path("log")).unwrap_or_default();
            assert!(status.success(), "{status}: {log}");
        }
        self.killed.into_inner().unwrap()
    }
}

/// The role of one of them, until the time is over.
pub(crate) fn work() {
    bind_to_permissions();
    let site = Site::inherited();
    let end: u128 = std::env::var(END).unwrap().parse().unwrap();
    while now() < end {
        match fastrand::u32(..12) {
            0 => load_in_a_fork(&site, fastrand::usize(..LIBRARIES)),
            1 => drop(Cache::from_environment().collect()),
            _ => obtain(&site, fastrand::usize(..LIBRARIES)),
        }
    }
}

/// The role of the one that comes when all is over: it wants every library once, and one more without a cache.
pub(crate) fn last() {
    let site = Site::inherited();
    let obtain = |cache: &Cache, number| {
        let path = cache.folder().map(Path::to_owned);
        let cache = path.map_or_else(
            |_| Cache::open(Path::new("/dev/null/nowhere")),
            |path| Cache::open(&path),
        );
        let runtime = Runtime::new(Box::new(Icpx::find().unwrap()), cache);
        let library = runtime.library(&unit(number)).unwrap();
        assert!(fs::read(library.path()).unwrap() == fs::read(site.library(number)).unwrap());
    };
    for number in 0..LIBRARIES {
        obtain(&Cache::from_environment(), number);
    }
    obtain(&Cache::open(Path::new("/dev/null/nowhere")), 0);
    Cache::from_environment().collect().unwrap();
}

/// A run time as a process has it that has just started, and the key of the library of this number in it.
fn fresh(number: usize) -> Result<(Runtime, String), Error> {
    let runtime = Runtime::new(Box::new(Icpx::find()?), Cache::from_environment());
    let key = runtime.key(&unit(number))?.to_string();
    Ok((runtime, key))
}

/// Obtains the library of this number, and compares it with what it has to be.
fn obtain(site: &Site, number: usize) {
    let start = now();
    let found = fresh(number).and_then(|(runtime, key)| Ok((key, runtime.library(&unit(number))?)));
    let (key, library) = match found {
        Ok(found) => found,
        Err(error) => return site.note(&format!("error: {error}")),
    };
    let expected = fs::read(site.library(number)).unwrap();
    match fs::read(library.path()) {
        Ok(bytes) if bytes == expected => site.note(&format!("{:?}", library.origin())),
        // It was damaged between the look at it and this one.
        _ if site.was_damaged(&key, start) => site.note("damaged meanwhile"),
        Ok(bytes) => site.note(&format!("wrong: {number}, {} bytes", bytes.len())),
        // It went to make room, or with all others: whoever wants it gets it again.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            site.note("deleted meanwhile");
            obtain(site, number);
        }
        Err(error) => site.note(&format!("unreadable: {error}")),
    }
}

/// Loads the library of this number in a forked process, as ranks do.
fn load_in_a_fork(site: &Site, number: usize) {
    let start = now();
    let load = || -> Result<(), Error> {
        let (runtime, _) = fresh(number)?;
        let module = runtime.module(&unit(number))?;
        module.function("answer", None)?;
        Ok(())
    };
    // SAFETY: this process has one thread, so that the child has all there is.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let outcome = std::panic::catch_unwind(|| match load() {
            Ok(()) => "Loaded".to_owned(),
            Err(error) => format!("not loaded: {error}"),
        });
        let outcome = outcome.unwrap_or_else(|_| "panic: in the forked process".to_owned());
        let damaged = || fresh(number).is_ok_and(|(_, key)| site.was_damaged(&key, start));
        if outcome.contains(':') && damaged() {
            site.note("damaged meanwhile");
        } else {
            site.note(&outcome);
        }
        // SAFETY: it ends the child without what the parent will do at its own end.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: a child of this process, and a place for its status.
    unsafe { libc::waitpid(child, &mut status, 0) };
    if status != 0 {
        // A library that is cut while it is mapped ends whoever has it.
        let damaged = fresh(number).is_ok_and(|(_, key)| site.was_damaged(&key, start));
        site.note(if damaged {
            "damaged meanwhile"
        } else {
            "died: a forked process"
        });
    }
}

/// Gives up what lets root write where permissions forbid it.
fn bind_to_permissions() {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    rustix::thread::set_capabilities(None, sets).unwrap();
}
