"""Compiled libraries, whose functions are called with addresses and numbers."""

import ctypes
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _native
from .command import ask

_C_TYPES = {
    "pointer": ctypes.c_void_p,
    "bool": ctypes.c_bool,
    "f32": ctypes.c_float,
    **{f"i{bits}": getattr(ctypes, f"c_int{bits}") for bits in (8, 16, 32, 64)},
    **{f"u{bits}": getattr(ctypes, f"c_uint{bits}") for bits in (8, 16, 32, 64)},
}


class Library:
    """A compiled library. ``library[symbol]`` is an exported function, of ctypes.

    Attributes:
        path: The file.
        symbols: The functions that a kernel exports; empty for a header.
        defines: The macros that it was compiled with, and their values.
    """

    def __init__(self, kernel: str | None, built: Mapping[str, Any]) -> None:
        self.path = built["library"]
        self.symbols = built["symbols"]
        self.defines = dict(built["defines"])
        self._kernel = kernel
        # It needs the SYCL run time, and finds the one that this process has.
        _native.load_sycl()
        self._library = ctypes.CDLL(self.path)

    def __getitem__(self, symbol: str) -> Any:
        """The function, which returns a status and takes the address of a ``sycl::queue`` and then what the kernel takes.

        Of a kernel's own symbol the argument types are declared, and a refusal is a ValueError; of any other function the
        caller declares them.

        Raises:
            KeyError: the library exports no such function.
        """
        try:
            function = self._library[symbol]
        except AttributeError:
            raise KeyError(f"{self.path} exports no function {symbol}") from None
        function.restype = ctypes.c_int32
        if self._kernel is not None and symbol == self.symbols[0]:
            function.argtypes = [ctypes.c_void_p, *(_C_TYPES[name] for name in _native.c_types(self._kernel))]
            function.errcheck = self._check
        return function

    def __repr__(self) -> str:
        return f"<oxysycl.Library {self.path}>"

    def _check(self, status: int, function: Any, arguments: tuple) -> int:
        if status != 0:
            last_error = self._library[f"{self._kernel}_last_error"]
            last_error.restype = ctypes.c_char_p
            raise (ValueError if status < 5 else RuntimeError)(last_error().decode())
        return status


def build(
    kernel_or_header: str | os.PathLike[str],
    dtype: str | Iterable[str] = (),
    defines: Mapping[str, Any] | None = None,
    include: Iterable[str | os.PathLike[str]] = (),
    target: str | None = None,
) -> Library:
    """Compiles a kernel, or any SYCL header, unless it is in the cache.

    Args:
        kernel_or_header: A kernel's name, or the path of a header or source file: whatever is a path object or ends in
            ``.hpp``, ``.h`` or ``.cpp``.
        dtype: A kernel's element types, such as ``"fp16"``, one for each type parameter.
        defines: Values of a kernel's const parameters, such as ``{"HIDDEN_SIZE": 4096}``, or a header's macros; ``None`` for a
            macro without a value.
        include: Folders to search for what a header includes.
        target: A value for ``-fsycl-targets`` instead of portable SPIR-V.

    Returns:
        A Library.

    Raises:
        RuntimeError: there is no such kernel, file or compiler, or the compiler refuses; with its own words.
    """
    path = os.fspath(kernel_or_header)
    is_header = path is not kernel_or_header or path.endswith((".hpp", ".h", ".cpp"))
    arguments = ["--header", path] if is_header else [path]
    for one in [dtype] if isinstance(dtype, str) else dtype:
        arguments += ["--dtype", one]
    for name, value in (defines or {}).items():
        arguments += ["-D", name if value is None else f"{name}={value}"]
    for folder in include:
        arguments += ["-I", os.fspath(folder)]
    if target is not None:
        arguments += ["--target", target]
    return Library(None if is_header else path.rpartition("::")[2], ask("build", *arguments)[1])
