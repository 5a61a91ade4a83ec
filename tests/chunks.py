"""A large log in small chunks, so that short ones have borders, too."""

import pytest

from fixbook import cutting, finder, regions, shelf, sweep

__all__ = ["cut_into"]


def cut_into(patch: pytest.MonkeyPatch, size: int, reach: int) -> None:
    """Chunks of `size`. What stays of the chunk before must be small, too, or a short log is one chunk."""
    patch.setattr(sweep, "CHUNK", size)
    for room in (sweep, regions, cutting, shelf):
        patch.setattr(room, "REACH", reach)
    for room in (shelf, finder):
        patch.setattr(room, "TAIL", 2 * reach)
    patch.setattr(sweep, "KEEP", 3 * reach)
