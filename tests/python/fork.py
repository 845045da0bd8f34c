"""A process that is forked after a launch gets a reason, at once, however much is still under way; one that is forked before
launches as any other does."""

import ctypes
import os
import signal
import sys

norms, scales = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2])
DEVICE = 5


def child(work):
    """The status of a process that is forked to do `work`, and is killed where that hangs."""
    process = os.fork()
    if process == 0:
        signal.alarm(100)
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    return os.waitpid(process, 0)[1]


def launch():
    """What launches need, and one of each kind."""
    import numpy
    from caller import HIDDEN_SIZE, NORM, SCALE, Array, function, halves, last_error, queue

    norm, scale = function(norms, "rmsnorm_forward_fp16_4096", NORM), function(scales, "scale_forward_fp16", SCALE)
    x, weight = Array(halves(256, HIDDEN_SIZE)), Array(halves(HIDDEN_SIZE))
    calls = [
        lambda: norm(queue, x.address, weight.address, x.address, 256, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6),
        lambda: scale(queue, x.address, x.address, 1.0, 256 * HIDDEN_SIZE),
    ]
    for call in calls:
        assert call() == 0
    assert not numpy.isnan(x.numpy()).any()
    return calls, [last_error(norms, "rmsnorm"), last_error(scales, "scale")]


assert child(launch) == 0, "forked before the first launch"

calls, reasons = launch()


def refused():
    for call, reason in zip(calls, reasons):
        for _ in range(3):
            assert call() == DEVICE, reason()
            assert "device was in use when this process was forked" in reason(), reason()
    # A grandchild is no better off.
    if os.getppid() == parent:
        assert child(refused) == 0


parent = os.getpid()
assert child(refused) == 0, "nothing is under way"
for _ in range(50):
    for call in calls:
        assert call() == 0
assert child(refused) == 0, "much is under way"
launch()
