"""The package itself: what importing it does, how its functions present themselves, and the command behind it."""

import ctypes
import inspect
import json
import os
import subprocess
import sys

import numpy
import pytest
from support import QUEUE, Usm, draw, ops

import oxysycl

F32 = numpy.dtype("float32")


def python(script, **environment):
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_importing_writes_nothing_and_starts_nothing(tmp_path):
    script = "import os, oxysycl; print(len(os.listdir('/proc/self/task'))); print('libsycl' in open('/proc/self/maps').read())"
    assert python(script, OXYSYCL_HOME=str(tmp_path / "home"), HOME=str(tmp_path)).split() == ["1", "False"]
    assert list(tmp_path.iterdir()) == []


def test_importing_needs_no_other_package():
    script = "import oxysycl, sys; print([name for name in ('numpy', 'dpctl', 'torch') if name in sys.modules])"
    assert python(script).strip() == "[]"


def test_functions_present_themselves():
    assert str(inspect.signature(ops.rmsnorm)) == "(input, weight, eps=1e-06, *, out=None)"
    assert str(inspect.signature(ops.per_token_group_quant_int8)) == "(input, eps=1e-06, *, codes=None, scales=None)"
    for name in ops.__all__:
        function = getattr(ops, name)
        assert function.__name__ == name and function.__module__ == "oxysycl.ops"
        documented = function.__doc__
        for parameter in inspect.signature(function).parameters:
            assert f"    {parameter}: " in documented, (name, parameter)
        assert "Returns:" in documented and "Raises:" in documented and "fn@" not in documented


def test_the_command_is_there():
    command = [sys.executable, "-m", "oxysycl"]
    listed = json.loads(subprocess.check_output([*command, "--json", "list"]))
    assert "rmsnorm" in json.dumps(listed)
    assert subprocess.run([*command, "check", "nothing"], capture_output=True).returncode == 2


def test_check():
    report = oxysycl.check("scale", dtype="fp16", device="cpu")
    assert report["passed"] and report["results"][0]["kernel"].endswith("scale")
    with pytest.raises(RuntimeError, match="nothing"):
        oxysycl.check("nothing")


def test_doctor():
    assert "embedded" in json.dumps(oxysycl.doctor())


def test_kernels_are_built():
    library = oxysycl.build("rmsnorm", dtype="fp32", defines={"HIDDEN_SIZE": 64})
    assert library.symbols[0] == "rmsnorm_forward_fp32_64"
    call = library["rmsnorm_forward_fp32_64"]
    x, weight, y = Usm.put(draw((3, 64), F32)), Usm.put(draw(64, F32, 8)), Usm.put(numpy.zeros((3, 64), F32))
    addresses = [array.__sycl_usm_array_interface__["data"][0] for array in (x, weight, y)]
    assert call(QUEUE.addressof_ref(), *addresses, 3, 64, 64, 1e-6) == 0
    assert (y.numpy() == ops.rmsnorm(x, weight).numpy()).all()
    with pytest.raises(ValueError, match="num_tokens is -1"):
        call(QUEUE.addressof_ref(), *addresses, -1, 64, 64, 1e-6)
    with pytest.raises(KeyError, match="exports no function nothing"):
        library["nothing"]
    with pytest.raises(RuntimeError, match="fp64"):
        oxysycl.build("rmsnorm", dtype="fp64", defines={"HIDDEN_SIZE": 64})


def test_headers_are_built(tmp_path):
    header = tmp_path / "answer.hpp"
    header.write_text('extern "C" __attribute__((visibility("default"))) int answer() { return ANSWER; }\n')
    library = oxysycl.build(header, defines={"ANSWER": 42})
    assert library["answer"]() == 42 and library.defines == {"ANSWER": "42"}
    header.write_text("this is no header")
    with pytest.raises(RuntimeError, match="answer.hpp"):
        oxysycl.build(str(header))
    with pytest.raises(RuntimeError, match="cannot read"):
        oxysycl.build(tmp_path / "nothing.hpp")
