//! `oxysycl doctor`

use clap::Args;
use oxysycl_runtime::bundle::Bundle;
use oxysycl_runtime::cache::Cache;
use oxysycl_runtime::driver::{Probe, probe};
use oxysycl_runtime::toolchain::Nvidia;
use oxysycl_runtime::{Device, Queue, Runtime, Selector, nvidia, trial};
use serde::Serialize;

use super::output::{Output, table};
use super::{Answer, Result};

#[derive(Args, Debug)]
pub(super) struct Doctor {}

/// What `--json` prints.
#[derive(Serialize)]
struct Diagnosis {
    /// Whether kernels can be compiled and run here.
    usable: bool,
    /// What was looked at.
    findings: Vec<Finding>,
    /// The devices, if they could be asked for.
    devices: Vec<Found>,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    /// `icpx`, once for each place where it is looked for, `embedded toolchain`, `g++`, `pip`, `NVIDIA part`, `bundle`,
    /// `driver`, `SYCL run time`, `devices`, `kernel`, `slow`, `cache` or `locks`.
    subject: &'static str,
    /// Whether it is there and can be used.
    good: bool,
    /// What was found, or why not and what to do.
    details: String,
}

/// A device.
#[derive(Serialize)]
struct Found {
    name: String,
    /// `cpu`, `gpu` or `other`.
    kind: String,
    /// Such as `opencl`.
    backend: String,
    /// Version of its driver.
    driver: String,
    /// Sub-group sizes, in work-items.
    sub_group_sizes: Vec<u32>,
    /// The largest work-group, in work-items.
    max_work_group: u64,
    /// Local memory of one work-group, in bytes.
    local_memory: u64,
    /// Global memory, in bytes.
    global_memory: u64,
    /// Whether it has 16-bit floats.
    fp16: bool,
    /// Whether it has 64-bit floats.
    fp64: bool,
    /// The value of `-fsycl-targets` for it.
    target: String,
}

impl Doctor {
    pub(super) fn run(self, output: &Output) -> Result {
        let mut findings: Vec<Finding> = probe().into_iter().map(Finding::of).collect();
        findings.push(nvidia());
        findings.extend(bundle());
        let mut devices = Vec::new();
        // Looking must not install anything.
        let can_run = [SUBJECT_BUNDLE, "icpx", SUBJECT_TOOLCHAIN].iter().any(|subject| {
            findings
                .iter()
                .any(|finding| finding.subject == *subject && finding.good)
        });
        if can_run {
            findings.push(driver());
            findings.push(sycl());
            match Device::all() {
                Ok(found) => devices = found,
                Err(error) => findings.push(Finding::bad("devices", error)),
            }
            if devices.is_empty() && findings.iter().all(|finding| finding.subject != "devices") {
                findings.push(Finding::bad("devices", no_devices()));
            }
        }
        if !devices.is_empty() && findings.iter().all(|finding| finding.subject != SUBJECT_BUNDLE) {
            findings.push(kernel());
            findings.extend(slow());
        }
        findings.push(cache());
        findings.extend(locks());
        let diagnosis = Diagnosis {
            usable: !devices.is_empty()
                && findings
                    .iter()
                    .all(|finding| finding.subject != SUBJECT_KERNEL || finding.good),
            findings,
            devices: devices.iter().map(Found::new).collect(),
        };
        output.print(&diagnosis, text)?;
        Ok(if diagnosis.usable { Answer::Yes } else { Answer::No })
    }
}

impl Finding {
    /// What was found at a place where a part of a driver is looked for.
    fn of(probe: Probe) -> Self {
        let looked_at = format!("looked at: {}", probe.place);
        match probe.found {
            Ok(found) => Self::good(probe.part, format!("{found}\n{looked_at}")),
            Err(reason) => Self::bad(probe.part, format!("{reason}\n{looked_at}")),
        }
    }

    fn good(subject: &'static str, details: impl ToString) -> Self {
        Self {
            subject,
            good: true,
            details: details.to_string(),
        }
    }

    fn bad(subject: &'static str, details: impl ToString) -> Self {
        Self {
            subject,
            good: false,
            details: details.to_string(),
        }
    }
}

/// What is found only where `OXYSYCL_BUNDLE` is set.
const SUBJECT_BUNDLE: &str = "bundle";
const SUBJECT_TOOLCHAIN: &str = "embedded toolchain";
const SUBJECT_KERNEL: &str = "kernel";

/// What there is for NVIDIA's GPUs. Nobody needs it who has none.
fn nvidia() -> Finding {
    const SUBJECT: &str = "NVIDIA part";
    let driver = nvidia::driver().map_or_else(
        |problem| format!("driver: {problem}"),
        |driver| format!("driver: {driver}"),
    );
    match (Nvidia::find(), Nvidia::place()) {
        (Ok(Some(part)), _) => Finding::good(SUBJECT, format!("{}\n{driver}", part.root().display())),
        (Ok(None), Ok(place)) => Finding::bad(
            SUBJECT,
            format!(
                "not installed\nlooked at: {}\n{driver}\nneeded only to compile for NVIDIA's GPUs: `oxysycl toolchain install nvidia`",
                place.display()
            ),
        ),
        (Err(error), _) | (_, Err(error)) => Finding::bad(SUBJECT, error),
    }
}

fn bundle() -> Option<Finding> {
    match Bundle::from_environment() {
        Ok(None) => None,
        Ok(Some(bundle)) => Some(Finding::good(
            SUBJECT_BUNDLE,
            format!(
                "{}\n{} libraries for {}",
                bundle.folder().display(),
                bundle.contents().count(),
                bundle.targets().join(" and ")
            ),
        )),
        Err(error) => Some(Finding::bad(SUBJECT_BUNDLE, error)),
    }
}

/// Compiles a small kernel, and runs it on the device that everything runs on if nobody says otherwise.
fn kernel() -> Finding {
    let queue = match Queue::new(&Selector::Auto) {
        Ok(queue) => queue,
        Err(error) => return Finding::bad(SUBJECT_KERNEL, error),
    };
    let device = queue.device();
    match trial::run(&queue) {
        Ok(trial) if trial.is_right() => Finding::good(
            SUBJECT_KERNEL,
            format!(
                "compiled in {:.2} s, ran in {:.4} s on {device}",
                trial.compiled.as_secs_f64(),
                trial.ran.as_secs_f64()
            ),
        ),
        Ok(trial) => Finding::bad(
            SUBJECT_KERNEL,
            format!(
                "a kernel that doubles 1, 2, 3 and 4 made {:?} of them on {device}",
                trial.result
            ),
        ),
        Err(error) => Finding::bad(SUBJECT_KERNEL, error),
    }
}

/// What makes compiling slower than it has to be.
fn slow() -> Vec<Finding> {
    let Ok(runtime) = Runtime::global() else {
        return Vec::new();
    };
    let reasons = runtime.driver().slowed_by();
    reasons
        .into_iter()
        .map(|reason| Finding::bad("slow", reason))
        .collect()
}

/// What is being compiled now, and by whom.
fn locks() -> Option<Finding> {
    let held = match Cache::from_environment().locks() {
        Ok(held) if held.is_empty() => return None,
        Ok(held) => held,
        Err(error) => return Some(Finding::bad("locks", error)),
    };
    let line = |(key, holder): &(String, String)| format!("{key}: {holder}");
    Some(Finding::good(
        "locks",
        held.iter().map(line).collect::<Vec<_>>().join("\n"),
    ))
}

fn driver() -> Finding {
    match Runtime::global() {
        Ok(runtime) => {
            let identity = runtime.driver().identity();
            let facts = ["driver", "version", "toolchain", "g++"]
                .map(|name| identity.get(name).map(|value| format!("{name}: {value}")));
            Finding::good(
                "driver",
                facts.into_iter().flatten().collect::<Vec<_>>().join("\n"),
            )
        }
        Err(error) => Finding::bad("driver", error),
    }
}

fn sycl() -> Finding {
    match Runtime::global().and_then(Runtime::sycl) {
        Ok(sycl) => {
            let path = sycl
                .path
                .map_or_else(String::new, |path| format!(", {}", path.display()));
            Finding::good("SYCL run time", format!("version {}{path}", sycl.version))
        }
        Err(error) => Finding::bad("SYCL run time", error),
    }
}

/// Why there may be no device.
fn no_devices() -> String {
    let hiding = Runtime::global()
        .map(Runtime::hiding_variables)
        .unwrap_or_default();
    if hiding.is_empty() {
        return "there is none: install a driver for your GPU, or use the embedded toolchain, which has a CPU device".to_owned();
    }
    format!(
        "there is none to be seen: {} may hide it; unset that, or choose by OXYSYCL_DEVICE",
        hiding.join(" and ")
    )
}

fn cache() -> Finding {
    let cache = Cache::from_environment();
    let folder = match cache.folder() {
        Ok(folder) => folder.display().to_string(),
        Err(reason) => {
            return Finding::bad(
                "cache",
                format!("{reason}; set OXYSYCL_CACHE to a folder that can be written to"),
            );
        }
    };
    match cache.list() {
        Ok(entries) => {
            let damaged = entries.iter().filter(|entry| entry.contents.is_err()).count();
            Finding::good(
                "cache",
                format!("{folder}\n{} entries, {damaged} of them damaged", entries.len()),
            )
        }
        Err(error) => Finding::bad("cache", format!("{folder} cannot be read: {error}")),
    }
}

impl Found {
    fn new(device: &Device) -> Self {
        Self {
            name: device.name.clone(),
            kind: device.kind.to_string(),
            backend: device.backend.clone(),
            driver: device.driver.clone(),
            sub_group_sizes: device.sub_group_sizes.clone(),
            max_work_group: device.max_work_group,
            local_memory: device.local_memory,
            global_memory: device.global_memory,
            fp16: device.fp16,
            fp64: device.fp64,
            target: device.target.name().to_owned(),
        }
    }
}

fn text(diagnosis: &Diagnosis) -> String {
    let row = |finding: &Finding| {
        let verdict = if finding.good { "ok" } else { "no" };
        [
            finding.subject.to_owned(),
            verdict.to_owned(),
            finding.details.clone(),
        ]
    };
    let mut text = table(["looked at", "", "found"], diagnosis.findings.iter().map(row));
    if !diagnosis.devices.is_empty() {
        let row = |device: &Found| {
            let sizes = device
                .sub_group_sizes
                .iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(" ");
            [
                device.name.clone(),
                device.kind.clone(),
                device.backend.clone(),
                device.driver.clone(),
                sizes,
            ]
        };
        text += "\n";
        text += &table(
            ["device", "kind", "backend", "driver", "sub-groups"],
            diagnosis.devices.iter().map(row),
        );
    }
    text += if diagnosis.usable {
        "\nkernels can be compiled and run here\n"
    } else {
        "\nkernels cannot be run here yet\n"
    };
    text
}
