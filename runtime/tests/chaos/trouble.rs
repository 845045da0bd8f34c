//! What happens to processes and files. Each kind of trouble takes a moment and is called over and over.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use oxysycl_runtime::cache::Cache;
use rustix::process::Signal;

use crate::site::{Site, names};
use crate::worker::Workers;

/// A signal to one of the processes: of those that end it, or that stop it for a while.
pub(crate) fn signal(_: &Site, workers: &Workers<'_>) {
    pause(50..400);
    match fastrand::u32(..6) {
        0..3 => workers.kill(Signal::KILL),
        3 => workers.kill(Signal::INT),
        4 => workers.stop(Duration::from_millis(fastrand::u64(10..1500))),
        // Now and then for longer than anybody waits.
        _ if fastrand::u32(..20) == 0 => workers.stop(Duration::from_secs(25)),
        _ => workers.kill(Signal::TERM),
    }
}

/// A file of an entry is cut, changed, deleted, opened to all, or replaced by something else.
pub(crate) fn damage(site: &Site, _: &Workers<'_>) {
    pause(20..150);
    let keys: Vec<String> = names(&site.cache())
        .into_iter()
        .filter(|name| name.len() == 64)
        .collect();
    if keys.is_empty() {
        return;
    }
    let key = &keys[fastrand::usize(..keys.len())];
    let entry = site.cache().join(key);
    let name = ["module.so", "manifest.json"][fastrand::usize(..2)];
    site.note_damage(key);
    // Whatever fails is gone already, or cannot be written to now.
    let _ = match fastrand::u32(..6) {
        0 => cut(&entry.join(name)),
        1 | 2 => flip(&entry.join(name)),
        3 => fs::remove_file(entry.join(name)),
        4 => fs::set_permissions(entry.join(name), Permissions::from_mode(0o666)),
        _ => fs::remove_dir_all(&entry).and_then(|()| fs::write(&entry, "not an entry")),
    };
}

/// The cache's file system is full for a moment, where it has one of its own.
pub(crate) fn fill(site: &Site, _: &Workers<'_>) {
    pause(1000..4000);
    let mount = site.path("mount");
    let room = rustix::fs::statvfs(&mount).unwrap();
    if room.f_blocks * room.f_frsize > 1 << 30 {
        return;
    }
    let path = mount.join("filler");
    let mut file = File::create(&path).unwrap();
    let piece = vec![0; 1 << 16];
    while file.write_all(&piece).is_ok() {}
    while file.write_all(&[0]).is_ok() {}
    pause(200..1000);
    fs::remove_file(path).unwrap();
}

/// The cache cannot be written to for a moment.
pub(crate) fn forbid_writing(site: &Site, _: &Workers<'_>) {
    pause(1000..4000);
    fs::set_permissions(site.cache(), Permissions::from_mode(0o500)).unwrap();
    pause(200..1000);
    fs::set_permissions(site.cache(), Permissions::from_mode(0o700)).unwrap();
}

/// Three clear the cache at once.
pub(crate) fn clear(site: &Site, _: &Workers<'_>) {
    pause(500..3000);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| Cache::open(&site.cache()).clear());
        }
    });
}

fn pause(milliseconds: std::ops::Range<u64>) {
    thread::sleep(Duration::from_millis(fastrand::u64(milliseconds)));
}

fn cut(path: &PathBuf) -> std::io::Result<()> {
    let file = File::options().write(true).open(path)?;
    let length = file.metadata()?.len();
    file.set_len(fastrand::u64(..length.max(1)))
}

fn flip(path: &PathBuf) -> std::io::Result<()> {
    let file = File::options().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    let position = fastrand::u64(..length.max(1));
    let mut byte = [0];
    file.read_exact_at(&mut byte, position)?;
    file.write_all_at(&[byte[0] ^ 1 << fastrand::u32(..8)], position)
}
