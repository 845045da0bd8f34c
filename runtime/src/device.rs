//! The devices of this machine, and which of them a queue is for.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use crate::environment;
use crate::runtime::{Error, Runtime};
use crate::unit::Target;

/// What a SYCL device says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name, such as `Intel(R) Arc(TM) B580 Graphics`.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// The version of its driver.
    pub driver: String,
    /// The interface to it, such as `opencl`, `ext_oneapi_level_zero` or `ext_oneapi_cuda`.
    pub backend: String,
    /// What sort of processor it is.
    pub kind: DeviceKind,
    /// The sub-group sizes that kernels may ask for, in work-items.
    pub sub_group_sizes: Vec<u32>,
    /// The largest work-group, in work-items.
    pub max_work_group: u64,
    /// Local memory of one work-group, in bytes.
    pub local_memory: u64,
    /// Global memory, in bytes.
    pub global_memory: u64,
    /// Whether it has 16-bit floats.
    pub fp16: bool,
    /// Whether it has 64-bit floats.
    pub fp64: bool,
    /// What to compile for it.
    pub target: Target,
}

/// A sort of processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// A central processor.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Anything else.
    Other,
}

impl Device {
    /// All devices of this machine, in the SYCL run time's order.
    pub fn all() -> Result<Vec<Self>, Error> {
        Ok(Runtime::global()?.shim()?.devices()?)
    }
}

/// The environment variables that hide devices from SYCL and from what it finds them through.
const HIDING: [&str; 6] = [
    "ONEAPI_DEVICE_SELECTOR",
    "SYCL_DEVICE_ALLOWLIST",
    "OCL_ICD_FILENAMES",
    "OCL_ICD_VENDORS",
    "CL_CONFIG_DEVICES",
    "ZE_AFFINITY_MASK",
];

/// The environment variables that may hide a device, as `NAME=value`: those that are set, but for what `own` says, which this
/// project has set itself.
pub(crate) fn hiding(own: &[(&'static str, OsString)]) -> Vec<String> {
    HIDING
        .into_iter()
        .filter_map(|name| Some((name, environment::variable(name)?)))
        .filter(|(name, value)| !own.iter().any(|(other, own)| other == name && own == value))
        .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
        .collect()
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Other => "other",
        })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.kind, self.backend)
    }
}

/// Which device a queue is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selector {
    /// The device that `OXYSYCL_DEVICE` names (`cpu`, `gpu`, or a part of a device's or an interface's name); without it, or if
    /// it is empty, a GPU if there is one, else a CPU.
    #[default]
    Auto,
    /// A CPU.
    Cpu,
    /// A GPU.
    Gpu,
    /// The first device whose name, or the name of the interface to it (such as `opencl` or `cuda`), contains this text,
    /// whatever the case of its letters.
    Named(String),
}

impl FromStr for Selector {
    type Err = Infallible;

    /// `auto`, `cpu`, `gpu`, or a part of a device's or an interface's name.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.to_lowercase().as_str() {
            "" | "auto" => Self::Auto,
            "cpu" => Self::Cpu,
            "gpu" => Self::Gpu,
            _ => Self::Named(text.to_owned()),
        })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("a GPU or a CPU"),
            Self::Cpu => f.write_str("a CPU"),
            Self::Gpu => f.write_str("a GPU"),
            Self::Named(part) => write!(f, "a device whose name or interface contains {part:?}"),
        }
    }
}

impl Selector {
    /// Itself, or for [`Auto`](Self::Auto) what `OXYSYCL_DEVICE` says.
    pub(crate) fn resolved(&self) -> Self {
        match (self, environment::variable("OXYSYCL_DEVICE")) {
            (Self::Auto, Some(value)) => value
                .to_string_lossy()
                .parse()
                .unwrap_or_else(|never| match never {}),
            _ => self.clone(),
        }
    }

    /// The position in `devices` of the one to use. A GPU seen through several backends is not taken through
    /// OpenCL.
    pub(crate) fn pick(&self, devices: &[Device]) -> Option<usize> {
        let first = |wanted: &dyn Fn(&Device) -> bool| {
            let matching = devices.iter().enumerate().filter(|(_, device)| wanted(device));
            matching
                .min_by_key(|(_, device)| device.backend == "opencl")
                .map(|(index, _)| index)
        };
        match self {
            Self::Auto => Self::Gpu.pick(devices).or_else(|| Self::Cpu.pick(devices)),
            Self::Cpu => first(&|device| device.kind == DeviceKind::Cpu),
            Self::Gpu => first(&|device| device.kind == DeviceKind::Gpu),
            Self::Named(part) => {
                let part = part.to_lowercase();
                first(&|device| device.name.to_lowercase().contains(&part) || device.backend.contains(&part))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, kind: DeviceKind, backend: &str) -> Device {
        Device {
            name: name.to_owned(),
            vendor: "Intel".to_owned(),
            driver: "1".to_owned(),
            backend: backend.to_owned(),
            kind,
            sub_group_sizes: vec![16, 32],
            max_work_group: 1024,
            local_memory: 1 << 16,
            global_memory: 1 << 30,
            fp16: true,
            fp64: false,
            target: Target::Spir64,
        }
    }

    fn machine() -> Vec<Device> {
        vec![
            device("Xeon", DeviceKind::Cpu, "opencl"),
            device("Arc B580", DeviceKind::Gpu, "opencl"),
            device("Arc B580", DeviceKind::Gpu, "ext_oneapi_level_zero"),
        ]
    }

    #[test]
    fn a_gpu_is_preferred_and_not_through_opencl() {
        assert_eq!(Selector::Auto.pick(&machine()), Some(2));
        assert_eq!(Selector::Gpu.pick(&machine()), Some(2));
        assert_eq!(Selector::Cpu.pick(&machine()), Some(0));
    }

    #[test]
    fn without_a_gpu_the_cpu_is_taken() {
        assert_eq!(Selector::Auto.pick(&machine()[..1]), Some(0));
        assert_eq!(Selector::Gpu.pick(&machine()[..1]), None);
        assert_eq!(Selector::Auto.pick(&[]), None);
    }

    #[test]
    fn names_match_in_part_and_in_any_case() {
        assert_eq!("b580".parse::<Selector>().unwrap().pick(&machine()), Some(2));
        assert_eq!("XEON".parse::<Selector>().unwrap().pick(&machine()), Some(0));
        assert_eq!("H100".parse::<Selector>().unwrap().pick(&machine()), None);
    }

    #[test]
    fn selectors_parse() {
        assert_eq!("".parse(), Ok(Selector::Auto));
        assert_eq!("auto".parse(), Ok(Selector::Auto));
        assert_eq!("CPU".parse(), Ok(Selector::Cpu));
        assert_eq!("gpu".parse(), Ok(Selector::Gpu));
        assert_eq!("Arc".parse(), Ok(Selector::Named("Arc".to_owned())));
    }
}
