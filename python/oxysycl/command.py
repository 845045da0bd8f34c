"""The command's questions, with its answers as Python has them."""

import json
import subprocess
import sys
from typing import Any


def ask(*arguments: str) -> tuple[int, Any]:
    """The exit status of the command and the document that it prints; RuntimeError with its own words if there is none."""
    command = [sys.executable, "-m", "oxysycl", "--json", *arguments]
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if answer.returncode > 1 or not answer.stdout:
        raise RuntimeError(answer.stderr.removeprefix("error: ").rstrip())
    return answer.returncode, json.loads(answer.stdout)


def check(*kernels: str, dtype: str | tuple[str, ...] = (), device: str = "auto") -> dict[str, Any]:
    """Runs kernels on a device and compares them with their native functions.

    Args:
        kernels: Names; all kernels if there are none.
        dtype: Only combinations with these element types, such as ``"fp16"``.
        device: ``"gpu"``, ``"cpu"``, or a part of a device's name.

    Returns:
        A dictionary: ``passed``, the ``device``, and ``results`` for each kernel and its element types.

    Raises:
        RuntimeError: there is no such kernel, device or compiler.
    """
    dtypes = [dtype] if isinstance(dtype, str) else dtype
    chosen = [word for one in dtypes for word in ("--dtype", one)]
    return ask("check", *kernels, *chosen, "--device", device)[1]


def doctor() -> dict[str, Any]:
    """What is there to compile and run with, where it was looked for, and what to do: a dictionary.

    Raises:
        RuntimeError: the question could not be asked.
    """
    return ask("doctor")[1]
