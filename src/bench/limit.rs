//! What the device can do at most.

use std::fs;
use std::path::Path;
use std::time::Duration;

use oxysycl_runtime::{Device, DeviceKind, Function, Queue, Runtime, Source, Target, Unit};
use serde::Serialize;

use super::BenchError;
use super::measure::{Launch, alternate};
use super::statistics::Spread;

/// The cache of a device that tells of none, in bytes.
const ASSUMED: u64 = 64 << 20;
/// Copies of so many times the cache are timed, and so much is rotated.
const CACHES: u64 = 3;
/// Ways to copy, and what they are called.
const COPIES: [(&str, &str); 4] = [
    ("oxysycl_limit_memcpy", "queue memcpy"),
    ("oxysycl_limit_copy_2", "copy kernel, 2 bytes a work-item"),
    ("oxysycl_limit_copy_4", "copy kernel, 4 bytes a work-item"),
    ("oxysycl_limit_copy_16", "copy kernel, 16 bytes a work-item"),
];

/// What the device can do at most, as `--json` prints it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Limits {
    /// Bytes of the last cache before memory.
    pub(crate) cache_bytes: u64,
    /// Who says so: `sysfs`, `device`, or `assumed`.
    pub(crate) cache_from: &'static str,
    /// Bytes that arguments are rotated through.
    pub(crate) rotated_bytes: u64,
    /// What a launch of a kernel that does nothing takes, in microseconds.
    pub(crate) launch_us: Spread,
    /// Copies of more than the cache, the fastest first.
    pub(crate) copies: Vec<Copy>,
}

/// A way to copy.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Copy {
    /// What it is.
    pub(crate) name: &'static str,
    /// Bytes read and written in a nanosecond.
    pub(crate) gbps: f64,
}

impl Limits {
    /// What has to be compiled to measure them.
    pub(crate) fn unit(target: &Target) -> Unit {
        Unit {
            source: Source::Header {
                name: "limit.hpp".to_owned(),
                text: include_str!("limit.hpp").to_owned(),
            },
            defines: Vec::new(),
            include_dirs: Vec::new(),
            target: target.clone(),
        }
    }

    /// Those of the device of `queue`; each takes `time` to measure.
    pub(crate) fn measure(queue: &Queue, time: Duration) -> Result<Self, BenchError> {
        let symbols = COPIES.map(|(symbol, _)| symbol);
        let module = Runtime::global()?.module_with(&Self::unit(&queue.device().target), &symbols)?;
        let function = |symbol: &str| -> Result<Function, BenchError> {
            let function = module.function(symbol, Some("oxysycl_limit_error"));
            Ok(function.map_err(oxysycl_runtime::Error::from)?)
        };
        let (cache_bytes, cache_from) = cache(queue, &function("oxysycl_limit_cache")?)?;
        let rotated_bytes = CACHES * cache_bytes;
        let empty = function("oxysycl_limit_empty")?;
        let launch: Launch<'_> = &|| {
            // SAFETY: the function takes nothing but the queue.
            Ok(unsafe { empty.call(queue, ()) }?)
        };
        let copying = symbols.into_iter().map(function).collect::<Result<Vec<_>, _>>()?;
        let floor = alternate(queue, &[launch], time)?.remove(0);
        Ok(Self {
            cache_bytes,
            cache_from,
            rotated_bytes,
            launch_us: Spread::of(floor).times(1e6),
            copies: copies(queue, &copying, rotated_bytes, time)?,
        })
    }

    /// Bytes in a nanosecond of the fastest copy.
    pub(crate) fn gbps(&self) -> f64 {
        self.copies[0].gbps
    }
}

/// What each of `functions` copies, of two buffers of so many bytes together.
fn copies(
    queue: &Queue,
    functions: &[Function],
    bytes: u64,
    time: Duration,
) -> Result<Vec<Copy>, BenchError> {
    let half = (bytes / 2).next_multiple_of(64);
    let from = queue.alloc::<u8>(half as usize)?;
    let to = queue.alloc::<u8>(half as usize)?;
    let addresses = [&from, &to].map(|buffer| buffer.view().as_ptr().expose_provenance() as u64);
    let mut found = Vec::new();
    for (function, (_, name)) in functions.iter().zip(COPIES) {
        let launch: Launch<'_> = &|| {
            // SAFETY: both buffers have `half` bytes, and live until the queue has been waited for.
            Ok(unsafe { function.call(queue, (addresses[0], addresses[1], half)) }?)
        };
        let seconds = Spread::of(alternate(queue, &[launch], time)?.remove(0));
        found.push(Copy {
            name,
            gbps: 2.0 * half as f64 / seconds.median / 1e9,
        });
    }
    found.sort_by(|a, b| b.gbps.total_cmp(&a.gbps));
    Ok(found)
}

/// The bytes of the last cache before memory, and who says so.
fn cache(queue: &Queue, ask: &Function) -> Result<(u64, &'static str), BenchError> {
    if let Some(bytes) = system_cache(queue.device()) {
        return Ok((bytes, "sysfs"));
    }
    let mut bytes = 0u64;
    // SAFETY: the function writes one number to this address before it returns.
    unsafe { ask.call(queue, ((&raw mut bytes).expose_provenance() as u64,)) }?;
    Ok(match bytes {
        0 => (ASSUMED, "assumed"),
        bytes => (bytes, "device"),
    })
}

/// The largest cache of this machine's first processor, if that is what the device is.
fn system_cache(device: &Device) -> Option<u64> {
    if device.kind != DeviceKind::Cpu {
        return None;
    }
    let folders = fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    let sizes = folders.filter_map(|folder| cache_size(&folder.ok()?.path().join("size")));
    sizes.max()
}

/// What a file such as `index3/size` says: `32768K`.
fn cache_size(file: &Path) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let kilobytes: u64 = text.trim().strip_suffix('K')?.parse().ok()?;
    Some(kilobytes << 10)
}
