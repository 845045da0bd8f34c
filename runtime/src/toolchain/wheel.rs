//! What is taken out of a wheel, which is a zip file.

use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use zip::ZipArchive;

use super::ToolchainError;

/// Starts of file names in `lib/` that nothing here loads: link-time optimisation, instrumentation, debugging, preview ABI,
/// build systems, devices of other vendors.
const UNWANTED: [&str; 13] = [
    "icx-lto",
    "libpstloffload",
    "libsycl-preview",
    "libsycl_ur_trace_collector",
    "libtbbmalloc_proxy",
    "libtcm_debug",
    "libur_sanitizer_layer",
    "libze_trace_collector",
    "libqkmalloc",
    "libirc",
    "libtbbbind_2_",
    "cmake",
    "dpcpp-",
];

/// A file to extract: its number in the archive, and where it goes below the toolchain's root.
struct Item {
    index: usize,
    path: PathBuf,
}

/// Extracts the files of `wheel` for which there is a `destination`, which is below `root`. Counts uncompressed bytes on `progress`.
pub(super) fn extract(
    wheel: &Path,
    root: &Path,
    destination: fn(&Path) -> Option<PathBuf>,
    progress: &ProgressBar,
) -> Result<(), ToolchainError> {
    let damaged = |error: &dyn std::fmt::Display| ToolchainError::Damaged {
        wheel: wheel.to_path_buf(),
        reason: error.to_string(),
    };
    let file = File::open(wheel).map_err(|error| damaged(&error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| damaged(&error))?;

    // A wheel cannot hold links: it repeats a library under every name it has. The longest name is the library.
    let mut items = select(&mut archive, destination).map_err(|error| damaged(&error))?;
    items.sort_by_key(|item| std::cmp::Reverse(item.path.as_os_str().len()));
    let mut libraries: HashMap<(PathBuf, u32, u64), PathBuf> = HashMap::new();

    for item in items {
        let mut entry = archive.by_index(item.index).map_err(|error| damaged(&error))?;
        let target = root.join(&item.path);
        let folder = target.parent().expect("a file below the root has a folder");
        fs::create_dir_all(folder).map_err(ToolchainError::writing(folder))?;
        let contents = (folder.to_path_buf(), entry.crc32(), entry.size());
        if item.path.starts_with("lib")
            && let Some(library) = libraries.get(&contents)
        {
            symlink(library, &target).map_err(ToolchainError::writing(&target))?;
            continue;
        }
        let mut output = File::create_new(&target).map_err(ToolchainError::writing(&target))?;
        let written = io::copy(&mut entry, &mut progress.wrap_write(&mut output));
        written.map_err(|error| match error.kind() {
            // What the decompressor says of a damaged wheel.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                damaged(&error)
            }
            _ => ToolchainError::writing(&target)(error),
        })?;
        if item.path.starts_with("bin") {
            let mode = Permissions::from_mode(0o755);
            fs::set_permissions(&target, mode).map_err(ToolchainError::writing(&target))?;
        }
        let name = item.path.file_name().expect("a file has a name");
        libraries.insert(contents, name.into());
    }
    Ok(())
}

/// The files of a wheel that the toolchain is made of.
fn select(
    archive: &mut ZipArchive<File>,
    destination: fn(&Path) -> Option<PathBuf>,
) -> zip::result::ZipResult<Vec<Item>> {
    let mut items = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index)?;
        if entry.is_dir() {
            continue;
        }
        // `enclosed_name` refuses names that lead out of the folder.
        if let Some(path) = entry.enclosed_name().and_then(|name| destination(&name)) {
            items.push(Item { index, path });
        }
    }
    Ok(items)
}

/// Where the file called `name` in a wheel of the SYCL run time goes below the toolchain's root, if it is wanted.
pub(super) fn sycl_file(name: &Path) -> Option<PathBuf> {
    let mut parts = name.components();
    let package = parts.next()?.as_os_str().to_str()?;
    let rest = parts.as_path();
    if let Some(package) = package.strip_suffix(".dist-info") {
        // Their licence travels with the files.
        return (rest == Path::new("LICENSE.txt")).then(|| format!("licenses/{package}.txt").into());
    }
    let path = rest.strip_prefix("data").ok()?;
    if path.starts_with("include") {
        return Some(path.into());
    }
    let library = path.strip_prefix("lib").ok()?.to_str()?;
    let wanted = !UNWANTED.iter().any(|start| library.starts_with(start)) && !library.ends_with(".py");
    wanted.then(|| path.into())
}

/// Where the file called `name` in NVIDIA's wheel goes below the root of that part, if it is wanted.
pub(super) fn nvidia_file(name: &Path) -> Option<PathBuf> {
    let folder = name.parent()?;
    if folder.extension().is_some_and(|end| end == "dist-info") && name.ends_with("License.txt") {
        return Some("licenses/nvidia-cuda-nvcc.txt".into());
    }
    let path = name.strip_prefix("nvidia/cuda_nvcc").ok()?;
    let wanted = path == Path::new("bin/ptxas") || path.starts_with("nvvm/libdevice");
    wanted.then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_libraries_and_licences_are_taken() {
        let to = |name: &str| sycl_file(Path::new(name)).map(|path| path.to_str().unwrap().to_owned());
        assert_eq!(
            to("a-1.data/data/lib/libsycl.so.9").as_deref(),
            Some("lib/libsycl.so.9")
        );
        assert_eq!(
            to("a-1.data/data/include/sycl/sycl.hpp").as_deref(),
            Some("include/sycl/sycl.hpp")
        );
        assert_eq!(
            to("a-1.dist-info/LICENSE.txt").as_deref(),
            Some("licenses/a-1.txt")
        );
        assert_eq!(to("a-1.dist-info/RECORD"), None);
        assert_eq!(to("a-1.data/data/bin/script.sh"), None);
        assert_eq!(to("a-1.data/data/lib/libsycl-preview.so"), None);
        assert_eq!(to("a-1.data/data/lib/libsycl.so.9.0.0-gdb.py"), None);
    }

    #[test]
    fn of_nvidias_wheel_assembler_device_functions_and_licence_are_taken() {
        let to = |name: &str| nvidia_file(Path::new(name)).map(|path| path.to_str().unwrap().to_owned());
        assert_eq!(to("nvidia/cuda_nvcc/bin/ptxas").as_deref(), Some("bin/ptxas"));
        assert_eq!(
            to("nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc").as_deref(),
            Some("nvvm/libdevice/libdevice.10.bc")
        );
        assert_eq!(
            to("a-1.dist-info/License.txt").as_deref(),
            Some("licenses/nvidia-cuda-nvcc.txt")
        );
        assert_eq!(to("nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so"), None);
        assert_eq!(to("nvidia/__init__.py"), None);
    }
}
