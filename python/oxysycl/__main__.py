"""The command: ``python -m oxysycl``."""

import signal
import sys

from . import _native


def main() -> None:
    # Ctrl-C ends the command as it ends any other; Python would wait until it is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.run(["oxysycl", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
