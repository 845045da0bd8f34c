//! Which wheels make up the toolchain: names, versions, digests.

use sha2::{Digest, Sha256};

/// The release of Intel's SYCL run time that the toolchain is made of.
pub(super) const RELEASE: &str = "2026.2.0";

/// A wheel for x86-64 Linux.
pub(super) struct Pin {
    /// The package's name.
    pub(super) package: &'static str,
    /// Its version.
    pub(super) version: &'static str,
    /// The SHA-256 digest of its wheel, in hexadecimal.
    pub(super) sha256: &'static str,
    /// The length of its wheel in bytes.
    pub(super) length: u64,
}

/// The release of NVIDIA's compiler that the part for its GPUs comes from.
pub(super) const NVIDIA_RELEASE: &str = "nvidia-12.8.93";

/// The wheel with NVIDIA's library of device functions and its assembler.
pub(super) const NVIDIA: [Pin; 1] = [Pin {
    package: "nvidia-cuda-nvcc-cu12",
    version: "12.8.93",
    sha256: "2d6dc36fb7cb5ac9c0b8825bc13d193c35487a315664007287d0126531238011",
    length: 40_128_098,
}];

/// Every wheel of the toolchain itself: the SYCL run time with its compiler library, the OpenCL CPU device, and what these two
/// link to.
pub(super) const PINS: [Pin; 7] = [
    Pin {
        package: "intel-sycl-rt",
        version: RELEASE,
        sha256: "ad920da1ffcb43edbc03422a7c85094997e6d578f9ab534743442af70bcbfaa1",
        length: 172_457_265,
    },
    Pin {
        package: "intel-opencl-rt",
        version: RELEASE,
        sha256: "6b6215a420598b4999ee01caca6d5cbe106aa4155c46c52377619c5aafce9f67",
        length: 224_964_968,
    },
    Pin {
        package: "intel-cmplr-lib-ur",
        version: RELEASE,
        sha256: "0d0a5099aa2e1e38375b509c2a8182e719ed74aa656b2a800ddf6cfbd3384b80",
        length: 33_070_367,
    },
    Pin {
        package: "intel-cmplr-lib-rt",
        version: RELEASE,
        sha256: "9f713083073a820d2496a6da8e8d4f3482aba6640f74521d25ea48dcebe72748",
        length: 41_454_395,
    },
    Pin {
        package: "tbb",
        version: "2023.2.0",
        sha256: "7d80615b6e970f11671fa05b6eaa9483ac864fbfe525ac280271a78b37870b7c",
        length: 6_864_088,
    },
    Pin {
        package: "tcmlib",
        version: "1.6.0",
        sha256: "46c2491988bfd18c4733eeb08aca6a386706a497b92cc51d155f37ddea003c14",
        length: 2_802_717,
    },
    Pin {
        package: "umf",
        version: "1.2.0",
        sha256: "238d186fdd9e9c0fe1489da95b19b0b79045fe26c4aa98bd0a022a2a3603c195",
        length: 429_931,
    },
];

impl Pin {
    /// Its line in a pip requirements file.
    pub(super) fn requirement(&self) -> String {
        format!(
            "{}=={} --hash=sha256:{}\n",
            self.package, self.version, self.sha256
        )
    }
}

/// The name of the folder for what comes from `pins`: the release, and a digest of them short enough for a path.
pub(super) fn folder_name(release: &str, pins: &[Pin]) -> String {
    let requirements: String = pins.iter().map(Pin::requirement).collect();
    let digest = hex::encode(Sha256::digest(requirements));
    format!("{release}-{}", &digest[..12])
}

/// The length of all wheels together, in bytes.
pub(super) fn total_length(pins: &[Pin]) -> u64 {
    pins.iter().map(|pin| pin.length).sum()
}
