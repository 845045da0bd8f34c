//! The disk cache, with many processes, killed ones, damaged entries, and folders that cannot be used.

mod common;
#[path = "common/fake.rs"]
mod fake;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use oxysycl_runtime::cache::{Cache, Cleared, Library, Origin};
use oxysycl_runtime::{Runtime, Source, Unit};
use rustix::process::{Gid, Uid};

use common::{process, texts};
use fake::{Fake, unit};

/// What the fake compiler writes for [`TEXT`]: the text.
const TEXT: &str = "a library in ten pieces, of which no reader may ever see only some: 0123456789";

fn main() -> ExitCode {
    common::run(
        &[
            ("eight_processes_compile_once", eight_processes_compile_once),
            ("eight_threads_compile_once", eight_threads_compile_once),
            ("a_killed_builder_hangs_nobody", a_killed_builder_hangs_nobody),
            ("waiting_is_explained", waiting_is_explained),
            ("a_warm_hit_takes_no_lock", a_warm_hit_takes_no_lock),
            ("other_entries_compile_meanwhile", other_entries_compile_meanwhile),
            (
                "damaged_entries_are_compiled_anew",
                damaged_entries_are_compiled_anew,
            ),
            (
                "a_failed_compilation_leaves_nothing",
                a_failed_compilation_leaves_nothing,
            ),
            ("no_space_leaves_nothing", no_space_leaves_nothing),
            (
                "a_filled_read_only_cache_is_used",
                a_filled_read_only_cache_is_used,
            ),
            (
                "without_a_usable_folder_it_works_uncached",
                without_a_usable_folder_it_works_uncached,
            ),
            ("a_new_folder_is_private", a_new_folder_is_private),
            ("an_open_folder_is_tightened", an_open_folder_is_tightened),
            (
                "the_folder_of_another_user_is_not_trusted",
                the_folder_of_another_user_is_not_trusted,
            ),
            ("variables_choose_the_folder", variables_choose_the_folder),
            ("odd_folder_names_work", odd_folder_names_work),
            (
                "a_source_that_changes_meanwhile_is_not_cached",
                a_source_that_changes_meanwhile_is_not_cached,
            ),
            ("listing_and_clearing", listing_and_clearing),
            (
                "bugs_62_what_others_could_write_is_not_used",
                what_others_could_write,
            ),
            ("bugs_62_all_is_private_whatever_the_umask", all_is_private),
            ("u_con5_least_recently_used_entries_go_first", least_recently_used),
            ("u_con5_entries_in_use_stay", entries_in_use_stay),
            ("a_read_only_layer_is_looked_into_first", a_read_only_layer),
            ("without_locks_entries_are_kept", without_locks),
            (
                "clearing_spares_what_is_being_compiled",
                clearing_spares_what_is_being_compiled,
            ),
        ],
        &[("obtain", obtain)],
    )
}

/// The role of a process that wants the library of [`TEXT`] from the cache of its environment.
fn obtain() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|value| value.parse::<u32>().unwrap())
    };
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(
        number("TEST_UMASK").unwrap_or(0o022),
    ));
    if let Some(user) = number("TEST_USER") {
        let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
        rustix::thread::set_thread_groups(&[]).unwrap();
        rustix::thread::set_thread_res_gid(group, group, group).unwrap();
        rustix::thread::set_thread_res_uid(user, user, user).unwrap();
    }
    let starts = std::env::var_os("TEST_STARTS").unwrap();
    let delay = Duration::from_millis(number("TEST_DELAY").unwrap_or(0).into());
    let runtime = Runtime::new(
        Box::new(Fake::new(Path::new(&starts), delay)),
        Cache::from_environment(),
    );
    let text = std::env::var("TEST_TEXT").unwrap_or_else(|_| TEXT.to_owned());
    match runtime.library(&unit(&text)) {
        Ok(library) => {
            assert_eq!(fs::read_to_string(library.path()).unwrap(), text);
            println!("{:?} {}", library.origin(), library.path().display());
        }
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// A folder for one test: a cache, and the count of compilations.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        // Other users play a part in some tests.
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).unwrap();
        let place = Self { root };
        File::create(place.starts())
            .unwrap()
            .set_permissions(Permissions::from_mode(0o666))
            .unwrap();
        place
    }

    fn cache(&self) -> PathBuf {
        self.root.path().join("cache")
    }

    fn starts(&self) -> PathBuf {
        self.root.path().join("starts")
    }

    fn compilations(&self) -> usize {
        Fake::count(&self.starts())
    }

    fn runtime(&self) -> Runtime {
        Runtime::new(
            Box::new(Fake::new(&self.starts(), Duration::ZERO)),
            Cache::open(&self.cache()),
        )
    }

    /// A process in the role [`obtain`].
    fn obtain(&self, delay: Duration) -> Command {
        let mut command = process("obtain");
        command
            .env("OXYSYCL_CACHE", self.cache())
            .env("TEST_STARTS", self.starts())
            .env("TEST_DELAY", delay.as_millis().to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn wait_for_compilation(&self) {
        let start = Instant::now();
        while self.compilations() == 0 {
            assert!(start.elapsed() < Duration::from_secs(20), "no compilation starts");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The names in the cache folder.
    fn names(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.cache()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    fn expect_only(&self, unit: &Unit) {
        let key = self.runtime().key(unit).unwrap().to_string();
        assert_eq!(self.names(), BTreeSet::from([key, "locks".to_owned()]));
    }
}

#[track_caller]
fn expect_success(output: &Output) -> (String, String) {
    let (stdout, stderr) = texts(output);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    (stdout, stderr)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Makes `command` run as a user whom permissions bind, and gives `folder` to that user.
fn as_ordinary_user(command: &mut Command, folder: Option<&Path>) {
    if is_root() {
        command.env("TEST_USER", "65534");
        if let Some(folder) = folder {
            give(folder, 65534);
        }
    }
}

fn give(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}

fn eight_processes_compile_once() {
    let place = Place::new();
    let start = |_| place.obtain(Duration::from_millis(500)).spawn().unwrap();
    let children: Vec<Child> = (0..8).map(start).collect();
    let outputs: Vec<Output> = children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .collect();
    let compiled = outputs
        .iter()
        .filter(|output| expect_success(output).0.starts_with("Compiled"))
        .count();
    assert_eq!((compiled, place.compilations()), (1, 1));
    place.expect_only(&unit(TEXT));
}

fn eight_threads_compile_once() {
    let place = Place::new();
    let runtime = Runtime::new(
        Box::new(Fake::new(&place.starts(), Duration::from_millis(300))),
        Cache::open(&place.cache()),
    );
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let library = runtime.library(&unit(TEXT)).unwrap();
                assert_eq!(fs::read_to_string(library.path()).unwrap(), TEXT);
            });
        }
    });
    assert_eq!(place.compilations(), 1);
    place.expect_only(&unit(TEXT));
}

fn a_killed_builder_hangs_nobody() {
    let place = Place::new();
    let mut builder = place.obtain(Duration::from_secs(100)).spawn().unwrap();
    place.wait_for_compilation();
    builder.kill().unwrap();
    builder.wait().unwrap();
    assert!(
        place.names().iter().any(|name| name.contains('.')),
        "the killed builder left something: {:?}",
        place.names()
    );
    let start = Instant::now();
    let (stdout, _) = expect_success(&place.obtain(Duration::ZERO).output().unwrap());
    assert!(
        stdout.starts_with("Compiled") && start.elapsed() < Duration::from_secs(20),
        "{stdout}"
    );
    place.expect_only(&unit(TEXT));
}

fn waiting_is_explained() {
    let place = Place::new();
    let builder = place.obtain(Duration::from_secs(4)).spawn().unwrap();
    place.wait_for_compilation();
    let (stdout, stderr) = expect_success(&place.obtain(Duration::ZERO).output().unwrap());
    assert!(stdout.starts_with("Cached"), "{stdout}");
    assert!(
        stderr.contains("waiting for test.hpp for spir64 by fake"),
        "{stderr}"
    );
    expect_success(&builder.wait_with_output().unwrap());
}

/// Holds the lock on `unit` as another process would.
fn lock(place: &Place, unit: &Unit) -> File {
    let key = place.runtime().key(unit).unwrap().to_string();
    let file = File::open(place.cache().join("locks").join(key)).unwrap();
    file.lock().unwrap();
    file
}

fn a_warm_hit_takes_no_lock() {
    let place = Place::new();
    place.runtime().library(&unit(TEXT)).unwrap();
    let _lock = lock(&place, &unit(TEXT));
    let start = Instant::now();
    assert_eq!(
        place.runtime().library(&unit(TEXT)).unwrap().origin(),
        Origin::Cached
    );
    assert!(
        start.elapsed() < Duration::from_millis(100),
        "{:?}",
        start.elapsed()
    );
}

fn other_entries_compile_meanwhile() {
    let place = Place::new();
    place.runtime().library(&unit(TEXT)).unwrap();
    let _lock = lock(&place, &unit(TEXT));
    let start = Instant::now();
    assert_eq!(
        place.runtime().library(&unit("another")).unwrap().origin(),
        Origin::Compiled
    );
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

fn damaged_entries_are_compiled_anew() {
    let place = Place::new();
    let runtime = place.runtime();
    let library = runtime.library(&unit(TEXT)).unwrap().path().to_owned();
    let manifest = library.with_file_name("manifest.json");
    let mut expected = 1;
    let mut expect_compiled_anew = |what: &str| {
        let found = runtime.library(&unit(TEXT)).unwrap();
        assert_eq!(found.origin(), Origin::Compiled, "{what}");
        assert_eq!(fs::read_to_string(found.path()).unwrap(), TEXT, "{what}");
        expected += 1;
    };
    for file in [&library, &manifest] {
        let whole = fs::read(file).unwrap();
        // The manifest ends in a line break that nothing depends on.
        let meaningful = if file == &manifest {
            whole.len() - 1
        } else {
            whole.len()
        };
        for length in 0..meaningful {
            fs::write(file, &whole[..length]).unwrap();
            expect_compiled_anew(&format!("{} bytes of {}", length, file.display()));
        }
        fs::remove_file(file).unwrap();
        expect_compiled_anew("a missing file");
    }
    for position in 0..TEXT.len() {
        let mut bytes = fs::read(&library).unwrap();
        bytes[position] ^= 1;
        fs::write(&library, bytes).unwrap();
        expect_compiled_anew(&format!("byte {position} flipped"));
    }
    fs::remove_dir_all(library.parent().unwrap()).unwrap();
    fs::write(library.parent().unwrap(), "a file in place of the entry").unwrap();
    expect_compiled_anew("a file in place of the entry");
    assert_eq!(place.compilations(), expected);
    place.expect_only(&unit(TEXT));
}

fn a_failed_compilation_leaves_nothing() {
    let place = Place::new();
    let broken = unit("extern \"C\" int broken( {");
    for _ in 0..2 {
        let error = place.runtime().library(&broken).unwrap_err().to_string();
        assert!(error.contains("g++") && error.contains("error:"), "{error}");
    }
    assert_eq!(place.names(), BTreeSet::from(["locks".to_owned()]));
    assert_eq!(
        place.runtime().library(&unit(TEXT)).unwrap().origin(),
        Origin::Compiled
    );
}

fn no_space_leaves_nothing() {
    let place = Place::new();
    let obtain = place.obtain(Duration::ZERO);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"])
        .arg(obtain.get_program())
        .args(obtain.get_args());
    for (name, value) in obtain.get_envs() {
        limited.env(name, value.unwrap());
    }
    let output = limited.output().unwrap();
    let (_, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("too large") && stderr.contains(place.cache().to_str().unwrap()),
        "{stderr}"
    );
    assert_eq!(place.names(), BTreeSet::from(["locks".to_owned()]));
    expect_success(&place.obtain(Duration::ZERO).output().unwrap());
    place.expect_only(&unit(TEXT));
}

fn a_filled_read_only_cache_is_used() {
    let place = Place::new();
    let missing = Place::new();
    place.runtime().library(&unit(TEXT)).unwrap();
    fs::create_dir(missing.cache()).unwrap();
    let mut origins = Vec::new();
    for (place, expected) in [(&place, "Cached"), (&missing, "Uncached")] {
        let mut command = place.obtain(Duration::ZERO);
        as_ordinary_user(&mut command, Some(&place.cache()));
        fs::set_permissions(place.cache(), Permissions::from_mode(0o500)).unwrap();
        let (stdout, stderr) = expect_success(&command.output().unwrap());
        fs::set_permissions(place.cache(), Permissions::from_mode(0o700)).unwrap();
        assert!(stdout.starts_with(expected), "{stdout} {stderr}");
        origins.push(stderr);
    }
    assert_eq!(origins[0], "");
    assert!(
        origins[1].contains("cannot be written to")
            && origins[1].contains("OXYSYCL_CACHE")
            && origins[1].contains(missing.cache().to_str().unwrap()),
        "{}",
        origins[1]
    );
}

fn without_a_usable_folder_it_works_uncached() {
    let place = Place::new();
    fs::write(place.cache(), "a file").unwrap();
    let below_a_file = place.cache().join("below");
    let temporary = place.root.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    for folder in [place.cache(), below_a_file] {
        let mut command = place.obtain(Duration::ZERO);
        let output = command
            .env("OXYSYCL_CACHE", &folder)
            .env("TMPDIR", &temporary)
            .output()
            .unwrap();
        let (stdout, stderr) = expect_success(&output);
        assert!(stdout.starts_with("Uncached"), "{stdout}");
        assert!(
            stderr.contains(folder.to_str().unwrap()) && stderr.contains("set OXYSYCL_CACHE"),
            "{stderr}"
        );
        assert_eq!(
            fs::read_dir(&temporary).unwrap().count(),
            0,
            "the temporary folder is empty again"
        );
    }
    let mut command = place.obtain(Duration::ZERO);
    let output = command.env("TMPDIR", "/dev/null/nothing").output().unwrap();
    let (_, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr.contains("/dev/null/nothing") && stderr.contains("TMPDIR"),
        "{stderr}"
    );
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn a_new_folder_is_private() {
    let place = Place::new();
    expect_success(
        &place
            .obtain(Duration::ZERO)
            .env("TEST_UMASK", "0")
            .output()
            .unwrap(),
    );
    assert_eq!(mode(&place.cache()), 0o700);
}

fn an_open_folder_is_tightened() {
    let place = Place::new();
    fs::create_dir(place.cache()).unwrap();
    fs::set_permissions(place.cache(), Permissions::from_mode(0o777)).unwrap();
    let (stdout, stderr) = expect_success(&place.obtain(Duration::ZERO).output().unwrap());
    assert!(stdout.starts_with("Compiled"), "{stdout}");
    assert!(
        stderr.contains("0777") && stderr.contains(place.cache().to_str().unwrap()),
        "{stderr}"
    );
    assert_eq!(mode(&place.cache()), 0o700);
    let (stdout, stderr) = expect_success(&place.obtain(Duration::ZERO).output().unwrap());
    assert!(
        stdout.starts_with("Cached") && stderr.is_empty(),
        "{stdout} {stderr}"
    );
}

/// Only root can play two users; what decides is tested in the library as well, for everybody.
fn the_folder_of_another_user_is_not_trusted() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    place.runtime().library(&unit(TEXT)).unwrap();
    give(&place.cache(), 12345);
    fs::set_permissions(place.cache(), Permissions::from_mode(0o755)).unwrap();
    let mut command = place.obtain(Duration::ZERO);
    as_ordinary_user(&mut command, None);
    let (stdout, stderr) = expect_success(&command.output().unwrap());
    assert!(stdout.starts_with("Uncached"), "{stdout}");
    assert!(
        stderr.contains("12345") && stderr.contains("OXYSYCL_CACHE"),
        "{stderr}"
    );
}

fn variables_choose_the_folder() {
    let place = Place::new();
    let root = place.root.path();
    let folder_with = |variables: &[(&str, &Path)]| {
        let mut command = place.obtain(Duration::ZERO);
        for name in ["OXYSYCL_CACHE", "OXYSYCL_HOME", "XDG_CACHE_HOME", "HOME"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        let (stdout, _) = expect_success(&command.output().unwrap());
        let library = PathBuf::from(stdout.trim_end().split_once(' ').unwrap().1);
        library.ancestors().nth(2).unwrap().to_owned()
    };
    let empty = Path::new("");
    let all = [root.join("a"), root.join("b"), root.join("c"), root.join("d")];
    let [cache, home, xdg, user] = all.each_ref().map(PathBuf::as_path);
    let variables = |cache, home, xdg| {
        folder_with(&[
            ("OXYSYCL_CACHE", cache),
            ("OXYSYCL_HOME", home),
            ("XDG_CACHE_HOME", xdg),
            ("HOME", user),
        ])
    };
    assert_eq!(variables(cache, home, xdg), cache);
    assert_eq!(variables(empty, home, xdg), home.join("modules"));
    assert_eq!(variables(empty, empty, xdg), xdg.join("oxysycl/modules"));
    assert_eq!(
        variables(empty, empty, empty),
        user.join(".cache/oxysycl/modules")
    );
}

fn odd_folder_names_work() {
    let place = Place::new();
    for name in [
        "with space",
        "quote'\"",
        "dollar $HOME",
        "ümläut",
        &"long".repeat(50),
    ]
    .map(OsStr::new)
    .into_iter()
    .chain([OsStr::from_bytes(b"not \xff text")])
    {
        let folder = place.root.path().join(name);
        let output = place
            .obtain(Duration::ZERO)
            .env("OXYSYCL_CACHE", &folder)
            .output()
            .unwrap();
        let (stdout, stderr) = expect_success(&output);
        assert!(
            stdout.starts_with("Compiled") && stderr.is_empty(),
            "{name:?}: {stdout} {stderr}"
        );
    }
}

fn a_source_that_changes_meanwhile_is_not_cached() {
    let place = Place::new();
    let source = place.root.path().join("kernel.cpp");
    let included = source.with_extension("included");
    fs::write(&source, "#include").unwrap();
    fs::write(&included, "1").unwrap();
    let runtime = Runtime::new(
        Box::new(Fake::new(&place.starts(), Duration::from_millis(500))),
        Cache::open(&place.cache()),
    );
    let unit = Unit {
        source: Source::File(source),
        ..unit("")
    };
    thread::scope(|scope| {
        let library = scope.spawn(|| runtime.library(&unit));
        place.wait_for_compilation();
        fs::write(&included, "2").unwrap();
        let error = library.join().unwrap().unwrap_err().to_string();
        assert!(
            error.contains("kernel.cpp") && error.contains("changed"),
            "{error}"
        );
    });
    assert_eq!(place.names(), BTreeSet::from(["locks".to_owned()]));
    assert_eq!(runtime.library(&unit).unwrap().origin(), Origin::Compiled);
}

fn listing_and_clearing() {
    let place = Place::new();
    let runtime = place.runtime();
    assert_eq!(runtime.cache().list().unwrap(), []);
    assert_eq!(runtime.cache().clear().unwrap(), Cleared::default());
    let whole = runtime.library(&unit(TEXT)).unwrap();
    let damaged = runtime.library(&unit("another")).unwrap();
    fs::write(damaged.path(), "anotheR").unwrap();
    let listed = runtime.cache().verify().unwrap();
    let of = |library: &Library| {
        let entry = library.path().parent().unwrap();
        listed.iter().find(|listing| listing.path == entry).unwrap()
    };
    assert_eq!(listed.len(), 2);
    assert_eq!(
        of(&whole).contents,
        Ok(("test.hpp for spir64 by fake".to_owned(), TEXT.len() as u64))
    );
    assert!(of(&whole).made.is_some());
    assert_eq!(
        of(&damaged).contents,
        Err("module.so is not what was written".to_owned())
    );
    let cleared = runtime.cache().clear().unwrap();
    assert_eq!(cleared.entries, 2);
    assert!(cleared.bytes > TEXT.len() as u64);
    assert_eq!(place.names(), BTreeSet::from(["locks".to_owned()]));
    assert_eq!(runtime.library(&unit(TEXT)).unwrap().origin(), Origin::Compiled);
}

fn clearing_spares_what_is_being_compiled() {
    let place = Place::new();
    place.runtime().library(&unit("another")).unwrap();
    let before = place.compilations();
    let builder = place.obtain(Duration::from_millis(1000)).spawn().unwrap();
    while place.compilations() == before {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(place.runtime().cache().clear().unwrap().entries, 1);
    expect_success(&builder.wait_with_output().unwrap());
    place.expect_only(&unit(TEXT));
}

/// One with which anybody could have had code run: the library, the manifest, the entry's folder.
fn what_others_could_write() {
    let place = Place::new();
    let library = place.runtime().library(&unit(TEXT)).unwrap().path().to_owned();
    let entry = library.parent().unwrap().to_owned();
    for (path, open) in [
        (library.clone(), 0o666),
        (entry.join("manifest.json"), 0o622),
        (entry, 0o777),
    ] {
        fs::set_permissions(&path, Permissions::from_mode(open)).unwrap();
        let (stdout, stderr) = expect_success(&place.obtain(Duration::ZERO).output().unwrap());
        assert!(stdout.starts_with("Compiled"), "{}: {stdout}", path.display());
        assert!(
            stderr.contains(&format!("{open:04o}")) && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
    if is_root() {
        chown(&library, Some(12345), None).unwrap();
        let (stdout, stderr) = expect_success(&place.obtain(Duration::ZERO).output().unwrap());
        assert!(
            stdout.starts_with("Compiled") && stderr.contains("12345"),
            "{stdout} {stderr}"
        );
    }
}

fn all_is_private() {
    let place = Place::new();
    expect_success(
        &place
            .obtain(Duration::ZERO)
            .env("TEST_UMASK", "0")
            .output()
            .unwrap(),
    );
    fn walk(path: &Path) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(path), expected, "{}", path.display());
        for entry in fs::read_dir(path).into_iter().flatten() {
            walk(&entry.unwrap().path());
        }
    }
    walk(&place.cache());
}

/// Entries of processes that are gone, the bound being one of them.
fn least_recently_used() {
    let place = Place::new();
    let obtain = |text: &str, size: &str| {
        let mut command = place.obtain(Duration::ZERO);
        command.env("TEST_TEXT", text).env("OXYSYCL_CACHE_SIZE", size);
        expect_success(&command.output().unwrap());
        place.runtime().key(&unit(text)).unwrap().to_string()
    };
    let [old, new] = ["old", "new"].map(|text| obtain(text, "1G"));
    for (key, age) in [(&old, 3000), (&new, 4000)] {
        let manifest = File::options()
            .write(true)
            .open(place.cache().join(key).join("manifest.json"))
            .unwrap();
        let time = std::time::SystemTime::now() - Duration::from_secs(age);
        manifest.set_modified(time).unwrap();
    }
    // A use counts, not when it was made.
    obtain("new", "1G");
    let bytes = |key: &str| -> u64 {
        let files = fs::read_dir(place.cache().join(key)).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    };
    let two = (bytes(&new) * 5 / 2).to_string();
    let last = obtain("yes", &two);
    let names = place.names();
    assert!(
        !names.contains(&old) && names.contains(&new) && names.contains(&last),
        "{names:?}"
    );
}

fn entries_in_use_stay() {
    let place = Place::new();
    let runtime = place.runtime();
    let used = runtime.library(&unit("used")).unwrap();
    let mut command = place.obtain(Duration::ZERO);
    command.env("OXYSYCL_CACHE_SIZE", "1");
    expect_success(&command.output().unwrap());
    assert!(used.path().exists());
}

fn a_read_only_layer() {
    let (image, own) = (Place::new(), Place::new());
    image.runtime().library(&unit(TEXT)).unwrap();
    let runtime = Runtime::new(
        Box::new(Fake::new(&own.starts(), Duration::ZERO)),
        Cache::open(&own.cache()).over(&image.cache()),
    );
    let found = runtime.library(&unit(TEXT)).unwrap();
    assert_eq!(found.origin(), Origin::Cached);
    assert!(found.path().starts_with(image.cache()) && !own.cache().exists());
    let made = runtime.library(&unit("another")).unwrap();
    assert!(made.path().starts_with(own.cache()));
    image.expect_only(&unit(TEXT));
}

/// Where no lock can be had, here because a file stands where their folder would be, entries are published all the same.
fn without_locks() {
    let place = Place::new();
    fs::create_dir(place.cache()).unwrap();
    fs::set_permissions(place.cache(), Permissions::from_mode(0o700)).unwrap();
    fs::write(place.cache().join("locks"), "").unwrap();
    for expected in ["Compiled", "Cached"] {
        let (stdout, stderr) = expect_success(&place.obtain(Duration::ZERO).output().unwrap());
        assert!(
            stdout.starts_with(expected) && stderr.is_empty(),
            "{stdout} {stderr}"
        );
    }
}
