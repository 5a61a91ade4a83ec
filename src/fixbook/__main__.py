"""`python -m fixbook`."""

import sys

from .cli import command

__all__: list[str] = []

sys.exit(command())
