"""Queues, order, threads, forks and memory that is let go early."""

import os
import threading
import weakref

import dpctl
import numpy
import pytest
from support import QUEUE, Usm, draw, ops

import oxysycl.usm

F32 = numpy.dtype("float32")


def test_queues_that_keep_no_order_are_kept_in_order():
    assert not QUEUE.is_in_order
    ones = numpy.ones(1 << 18, F32)
    x = Usm.put(ones)
    for _ in range(50):
        ops.scale(x, 2.0, out=x)
    y = ops.scale(x, 2.0**-40)
    for _ in range(50):
        ops.scale(x, 0.5, out=x)
    assert (x.numpy() == 1).all() and (y.numpy() == 2.0**10).all()


def test_queues_that_keep_order():
    queue = dpctl.SyclQueue("cpu", property="in_order")
    x = oxysycl.usm.asarray(numpy.ones(1000, F32), queue)
    assert ops.scale(x, 3).sycl_queue == queue
    assert (ops.scale(ops.scale(x, 3), 2).numpy() == 6).all()


def test_more_queues_than_are_known():
    for number in range(40):
        queue = dpctl.SyclQueue("cpu")
        x = oxysycl.usm.asarray(numpy.full(10, number, F32), queue)
        assert (ops.scale(x, 2).numpy() == 2 * number).all()


def test_arrays_may_be_let_go_before_they_are_used():
    x = draw((64, 4096), F32)
    wanted = ops.scale(x, 2.0**20)
    for _ in range(5):
        found = Usm.put(x)
        for _ in range(20):
            # What is read is nobody's when the call returns.
            found = ops.scale(found, 2.0)
        assert (found.numpy() == wanted).all()


def test_arrays_are_let_go():
    x = Usm.put(numpy.ones(16, F32))
    gone = weakref.ref(x)
    y = ops.scale(x, 2)
    del x
    QUEUE.wait()
    for _ in range(2):
        ops.scale(y, 2, out=y)
        QUEUE.wait()
    assert gone() is None


def test_threads_share_a_queue():
    x = Usm.put(numpy.ones(1 << 16, F32))
    wrong = []

    def work(factor):
        for _ in range(50):
            ops.scale(x, factor, out=x)
            y = ops.scale(Usm.put(numpy.ones(8, F32)), factor)
            if not (y.numpy() == factor).all():
                wrong.append(factor)

    threads = [threading.Thread(target=work, args=(factor,)) for factor in [2.0, 0.5, 2.0]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and (x.numpy() == 2.0**50).all()


def test_threads_run_natively_at_once():
    x = draw((64, 512), F32)
    wanted, found = ops.softmax(x), [None] * 4

    def work(at):
        found[at] = ops.softmax(x)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((one == wanted).all() for one in found)


def test_other_threads_run_while_a_native_function_does():
    x, ticks, done = draw((4096, 512), F32), 0, threading.Event()

    def work():
        ops.softmax(x)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
    thread.join()
    # Whoever keeps the interpreter lets nobody count.
    assert ticks > 1000


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_are_refused():
    x = Usm.put(numpy.ones(8, F32))
    ops.scale(x, 2).numpy()
    child = os.fork()
    if child == 0:
        try:
            ops.scale(x, 2, out=x)
        except RuntimeError as error:
            os._exit(0 if "forked" in str(error) else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
