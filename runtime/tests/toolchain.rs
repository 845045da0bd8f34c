//! Installation of the embedded toolchain: complete or not at all, once however many ask for it, with one clear sentence
//! where it fails. A stand-in `python3` hands out small wheels in place of the real ones, as slowly as wanted.

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use oxysycl_runtime::toolchain::Toolchain;
use tempfile::TempDir;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use common::{process, texts};

fn main() -> ExitCode {
    common::run(
        &[
            ("an_installation_is_complete", an_installation_is_complete),
            ("many_installers_install_once", many_installers_install_once),
            ("a_killed_installer_does_no_harm", a_killed_installer_does_no_harm),
            ("waiting_is_said", waiting_is_said),
            ("a_damaged_toolchain_is_replaced", a_damaged_toolchain_is_replaced),
            ("damaged_wheels_are_refused", damaged_wheels_are_refused),
            ("incomplete_wheels_are_refused", incomplete_wheels_are_refused),
            ("failures_say_what_to_do", failures_say_what_to_do),
            ("an_installation_goes_on_where_it_ended", an_installation_goes_on),
            ("what_is_done_is_said_without_a_terminal", what_is_done_is_said),
            ("changed_files_are_found_and_replaced", changed_files_are_found),
            ("offline_downloads_nothing", offline_downloads_nothing),
            (
                "places_that_cannot_be_written_to_are_named",
                places_that_cannot_be_written_to_are_named,
            ),
        ],
        &[("ensure", ensure_role), ("verify", verify_role)],
    )
}

/// Installs the toolchain, if it isn't there yet, and says where it is or what went wrong.
fn ensure_role() {
    match Toolchain::ensure() {
        Ok(toolchain) => println!("{}", toolchain.root().display()),
        Err(error) => println!("error: {error}"),
    }
}

/// Says which files are damaged, and has them replaced the next time.
fn verify_role() {
    match Toolchain::condemn_damaged() {
        Ok(damaged) => println!("{damaged:?}"),
        Err(error) => println!("error: {error}"),
    }
}

/// What a wheel for tests holds: the files that every toolchain needs, and some that it doesn't.
const FILES: [(&str, &str); 18] = [
    ("include/sycl/sycl.hpp", "// headers"),
    ("include/CL/cl.h", "// headers"),
    ("lib/libsycl.so", "libsycl"),
    ("lib/libsycl.so.9", "libsycl"),
    ("lib/libsycl.so.9.0.0", "libsycl"),
    ("lib/libsycl-jit.so", "jit"),
    ("lib/libOpenCL.so.1", "loader"),
    ("lib/libintelocl.so", "device"),
    ("lib/libcommon_clang.so", "compiler"),
    ("lib/libur_loader.so.0", "adapters"),
    ("lib/libumf.so.1", "memory"),
    ("lib/libhwloc.so.15", "topology"),
    ("lib/libtbb.so.12", "threads"),
    ("lib/libsycl-preview.so", "not needed"),
    ("lib/icx-lto.so", "not needed"),
    ("bin/script.sh", "not needed"),
    ("lib/cmake/umf/umf.cmake", "not needed"),
    ("etc/vendors/intel.icd", "not needed"),
];

/// How many wheels the toolchain is made of.
const WHEELS: usize = 7;

/// A place to install to, with a stand-in `python3`.
struct Site {
    folder: TempDir,
}

impl Site {
    /// `pip` is the shell text that fills the folder $dest from the folder $wheels.
    fn new(pip: &str) -> Self {
        let site = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(site.path("bin")).unwrap();
        fs::create_dir(site.path("wheels")).unwrap();
        site.write_wheel(&FILES);
        let script = format!(
            "#!/bin/sh\n\
             here=$(dirname \"$0\")/..; wheels=$here/wheels; dest= last=\n\
             for a; do case \"$last\" in --dest) dest=$a;; esac; last=$a; done\n\
             for a; do printf '%s\\n' \"$a\"; done > \"$here/arguments\"\n\
             cat \"$last\" >> \"$here/requirements.txt\"; ls \"$dest\" | wc -l >> \"$here/runs\"\n\
             {pip}\n"
        );
        let python = site.path("bin/python3");
        fs::write(&python, script).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_wheel(&self, files: &[(&str, &str)]) {
        let mut wheel = ZipWriter::new(File::create(self.path("wheels/sycl-1.whl")).unwrap());
        // Not compressed, so that a text can be found and damaged.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, text) in files {
            wheel
                .start_file(format!("sycl-1.data/data/{name}"), options)
                .unwrap();
            wheel.write_all(text.as_bytes()).unwrap();
        }
        wheel.start_file("sycl-1.dist-info/LICENSE.txt", options).unwrap();
        wheel.write_all(b"a licence").unwrap();
        wheel.finish().unwrap();
    }

    fn command(&self) -> Command {
        let mut command = process("ensure");
        let path = format!(
            "{}:{}",
            self.path("bin").display(),
            std::env::var("PATH").unwrap()
        );
        command
            .env("PATH", path)
            .env("OXYSYCL_HOME", self.path("home"))
            .env_remove("OXYSYCL_OFFLINE");
        command
    }

    /// What an installer says, and its log.
    fn ensure(&self) -> (String, String) {
        texts(&self.command().output().unwrap())
    }

    fn start(&self) -> Child {
        self.command()
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// How often everything was downloaded: pip is run for each wheel.
    fn downloads(&self) -> usize {
        self.runs().div_ceil(WHEELS)
    }

    /// How often pip was run.
    fn runs(&self) -> usize {
        fs::read_to_string(self.path("runs"))
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// Names in the folder that the toolchain is installed into, sorted.
    fn installed(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path("home/toolchain")) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Asserts that `said` is the root of a complete toolchain, beside which nothing is left.
    #[track_caller]
    fn assert_installed(&self, said: &str) {
        let root = Path::new(said.trim_end());
        assert!(root.join("include/sycl/sycl.hpp").exists(), "{said}");
        let name = root.file_name().unwrap().to_str().unwrap();
        assert_eq!(self.installed(), [name, "lock"]);
    }

    /// Asserts that an installation fails with a message that holds `texts`, and leaves nothing behind.
    #[track_caller]
    fn assert_fails(&self, texts: &[&str]) {
        let (said, log) = self.ensure();
        assert!(said.starts_with("error: "), "{said} {log}");
        for text in texts {
            assert!(said.contains(text), "{text:?} is not in: {said}");
        }
        assert!(
            self.installed().iter().all(|name| name == "lock"),
            "{:?}",
            self.installed()
        );
    }
}

const COPY: &str = "cp \"$wheels\"/* \"$dest\"";
/// Only the first of them takes a while.
const COPY_SLOWLY: &str =
    "[ -e \"$here/slept\" ] || sleep 7; touch \"$here/slept\"; cp \"$wheels\"/* \"$dest\"";

fn an_installation_is_complete() {
    let site = Site::new(COPY);
    let (said, log) = site.ensure();
    site.assert_installed(&said);
    assert!(log.contains("installing the embedded toolchain"), "{log}");
    let root = Path::new(said.trim_end());
    // One library, the others lead to it.
    for link in ["libsycl.so", "libsycl.so.9"] {
        assert_eq!(
            fs::read_link(root.join("lib").join(link)).unwrap(),
            Path::new("libsycl.so.9.0.0")
        );
    }
    assert_eq!(fs::read(root.join("lib/libsycl.so.9")).unwrap(), b"libsycl");
    assert_eq!(fs::read(root.join("licenses/sycl-1.txt")).unwrap(), b"a licence");
    for unwanted in [
        "lib/libsycl-preview.so",
        "lib/icx-lto.so",
        "lib/cmake",
        "bin",
        "etc",
    ] {
        assert!(!root.join(unwanted).exists(), "{unwanted}");
    }
    // Everything pinned, and no place to download from: that is pip's own configuration.
    let arguments = fs::read_to_string(site.path("arguments")).unwrap();
    assert!(
        arguments.starts_with("-m\npip\ndownload\n") && arguments.contains("--require-hashes\n"),
        "{arguments}"
    );
    assert!(arguments.contains("--no-deps\n") && !arguments.contains("://") && !arguments.contains("index"));
    let requirements = fs::read_to_string(site.path("requirements.txt")).unwrap();
    assert_eq!(requirements.lines().count(), WHEELS);
    for line in requirements.lines() {
        let (pin, digest) = line.split_once(" --hash=sha256:").unwrap();
        assert!(pin.contains("==") && digest.len() == 64, "{line}");
    }
    // The second time there is nothing to do, nor to say.
    assert_eq!(site.ensure(), (said, String::new()));
    assert_eq!(site.downloads(), 1);
}

fn many_installers_install_once() {
    let site = Site::new("sleep 1; cp \"$wheels\"/* \"$dest\"");
    let installers: Vec<Child> = (0..8).map(|_| site.start()).collect();
    for installer in installers {
        let (said, _) = texts(&installer.wait_with_output().unwrap());
        site.assert_installed(&said);
    }
    assert_eq!(site.downloads(), 1);
}

fn a_killed_installer_does_no_harm() {
    let site = Site::new(COPY_SLOWLY);
    let mut installer = site.start();
    let start = Instant::now();
    while site.runs() == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "pip was not started");
        thread::sleep(Duration::from_millis(20));
    }
    installer.kill().unwrap();
    installer.wait().unwrap();
    // What it was doing lies there.
    assert_eq!(site.installed().len(), 3, "{:?}", site.installed());
    let (said, _) = site.ensure();
    site.assert_installed(&said);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(site.downloads(), 2);
}

fn waiting_is_said() {
    let site = Site::new(COPY_SLOWLY);
    let first = site.start();
    while site.runs() == 0 {
        thread::sleep(Duration::from_millis(20));
    }
    let (said, log) = site.ensure();
    site.assert_installed(&said);
    assert!(
        log.contains("waiting for another process that installs the embedded toolchain"),
        "{log}"
    );
    assert!(first.wait_with_output().unwrap().status.success());
}

fn a_damaged_toolchain_is_replaced() {
    let site = Site::new(COPY);
    let (said, _) = site.ensure();
    let library = Path::new(said.trim_end()).join("lib/libintelocl.so");
    fs::write(&library, "dev").unwrap();
    assert_eq!(site.ensure().0, said);
    assert_eq!(fs::read(&library).unwrap(), b"device");
    fs::remove_file(&library).unwrap();
    assert_eq!(site.ensure().0, said);
    assert_eq!(fs::read(&library).unwrap(), b"device");
    site.assert_installed(&said);
    assert_eq!(site.downloads(), 3);
}

fn damaged_wheels_are_refused() {
    let site = Site::new(COPY);
    let wheel = site.path("wheels/sycl-1.whl");
    let good = fs::read(&wheel).unwrap();
    fs::write(&wheel, &good[..good.len() / 2]).unwrap();
    site.assert_fails(&["sycl-1.whl is damaged", "try again"]);
    // One changed bit in a file's contents.
    let place = good.windows(8).position(|window| window == b"adapters").unwrap();
    let mut changed = good.clone();
    changed[place] ^= 1;
    fs::write(&wheel, &changed).unwrap();
    site.assert_fails(&["sycl-1.whl is damaged"]);
    fs::write(&wheel, &good).unwrap();
    site.assert_installed(&site.ensure().0);
}

fn incomplete_wheels_are_refused() {
    let site = Site::new(COPY);
    let without: Vec<_> = FILES
        .into_iter()
        .filter(|(name, _)| *name != "lib/libsycl-jit.so")
        .collect();
    site.write_wheel(&without);
    site.assert_fails(&["lib/libsycl-jit.so"]);
}

fn failures_say_what_to_do() {
    let fails = |pip: &str, texts: &[&str]| Site::new(pip).assert_fails(texts);
    fails(
        "echo '/usr/bin/python3: No module named pip' >&2; exit 1",
        &["no pip", "python3-pip"],
    );
    fails(
        "echo 'ERROR: Could not find a version that satisfies the requirement umf (from versions: none)' >&2; exit 1",
        &["network", "Could not find a version", "configuration"],
    );
    fails(
        "echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.' >&2; exit 1",
        &["SHA-256", "THESE PACKAGES"],
    );
    fails(
        "echo \"OSError: [Errno 28] No space left on device\" >&2; exit 1",
        &["no space left", "OXYSYCL_HOME"],
    );
    fails("echo surprise >&2; exit 7", &["exit status 7", "surprise"]);
    fails("kill -KILL $$", &["SIGKILL"]);

    let site = Site::new(COPY);
    let (said, _) = texts(&site.command().env("PATH", "/nonexistent").output().unwrap());
    assert!(
        said.contains("cannot run `python3`") && said.contains("install Python 3"),
        "{said}"
    );
}

/// The network fails in the middle: what was downloaded by then is there the next time.
fn an_installation_goes_on() {
    let fails_once = "[ $(wc -l < \"$here/runs\") != 4 ] || { echo 'ReadTimeoutError: no' >&2; exit 1; }; \
        touch \"$dest/$(wc -l < \"$here/runs\")\"; [ $(wc -l < \"$here/runs\") -lt 8 ] || { rm \"$dest\"/*; cp \"$wheels\"/* \"$dest\"; }";
    let site = Site::new(fails_once);
    let (said, log) = site.ensure();
    assert!(
        said.starts_with("error: ") && said.contains("network"),
        "{said} {log}"
    );
    assert_eq!(site.runs(), 4);
    site.assert_installed(&site.ensure().0);
    let there: Vec<String> = fs::read_to_string(site.path("runs"))
        .unwrap()
        .lines()
        .map(|line| line.trim().to_owned())
        .collect();
    assert_eq!(there[..5], ["0", "1", "2", "3", "3"], "{there:?}");
}

fn what_is_done_is_said() {
    let (_, log) = Site::new(COPY_SLOWLY).ensure();
    assert!(log.contains("oxysycl: downloading: 0 of "), "{log}");
}

fn changed_files_are_found() {
    let site = Site::new(COPY);
    let (said, _) = site.ensure();
    let root = Path::new(said.trim_end());
    let verify = || {
        let mut command = process("verify");
        command.env("OXYSYCL_HOME", site.path("home"));
        texts(&command.output().unwrap()).0
    };
    assert_eq!(verify(), "[]\n");
    // Of the same length, so that nothing else sees it.
    let library = root.join("lib/libintelocl.so");
    fs::write(&library, "decive").unwrap();
    assert_eq!(site.ensure().0, said);
    assert_eq!(fs::read(&library).unwrap(), b"decive");
    assert_eq!(verify(), format!("[{library:?}]\n"));
    assert_eq!(site.ensure().0, said);
    assert_eq!(fs::read(&library).unwrap(), b"device");
    assert_eq!(verify(), "[]\n");
    // One of an older version of this project.
    fs::remove_file(root.join("digests.txt")).unwrap();
    assert!(verify().contains("kept no digests"));
}

fn offline_downloads_nothing() {
    let site = Site::new(COPY);
    let (said, _) = texts(&site.command().env("OXYSYCL_OFFLINE", "1").output().unwrap());
    for text in [
        "OXYSYCL_OFFLINE",
        "oxysycl toolchain install",
        site.path("home").to_str().unwrap(),
    ] {
        assert!(said.contains(text), "{text} is not in: {said}");
    }
    assert_eq!(site.runs(), 0);
    assert_eq!(site.installed(), [] as [&str; 0]);
    // An empty variable is none; and what is installed can be used.
    let (said, _) = texts(&site.command().env("OXYSYCL_OFFLINE", "").output().unwrap());
    site.assert_installed(&said);
    assert_eq!(
        texts(&site.command().env("OXYSYCL_OFFLINE", "1").output().unwrap()).0,
        said
    );
}

fn places_that_cannot_be_written_to_are_named() {
    let site = Site::new(COPY);
    // Root may write anywhere, but not into a file.
    fs::write(site.path("home"), "").unwrap();
    let (said, _) = site.ensure();
    assert!(
        said.contains("cannot write to") && said.contains("OXYSYCL_HOME"),
        "{said}"
    );
    fs::remove_file(site.path("home")).unwrap();

    let without_home = |site: &Site, home: &str| {
        let mut command = site.command();
        command
            .env_remove("XDG_CACHE_HOME")
            .env("HOME", home)
            .env("OXYSYCL_HOME", "");
        texts(&command.output().unwrap()).0
    };
    assert!(without_home(&site, "/proc/nonexistent").contains("OXYSYCL_HOME"));
    let home = site.path("user");
    let said = without_home(&site, home.to_str().unwrap());
    assert!(
        Path::new(said.trim_end()).starts_with(home.join(".cache/oxysycl/toolchain")),
        "{said}"
    );

    // No file may grow: what a full disk looks like.
    let site = Site::new(COPY);
    let mut limited = Command::new("sh");
    limited
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"")
        .arg(site.command().get_program());
    limited.args(site.command().get_args());
    for (name, value) in site.command().get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    let (said, _) = texts(&limited.output().unwrap());
    assert!(
        said.contains("no space left") || said.contains("File too large"),
        "{said}"
    );
    assert!(site.installed().iter().all(|name| name == "lock"));
    site.assert_installed(&site.ensure().0);
}
