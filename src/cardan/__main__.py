"""`python -m cardan` is the command `cardan`."""

import sys

from cardan.cli import main

if __name__ == "__main__":
    sys.exit(main())
