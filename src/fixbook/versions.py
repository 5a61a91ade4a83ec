"""Whether the version that a log states has the fault of an entry."""

from collections.abc import Iterable

from .fact_values import public_version
from .facts import Lookup
from .model import Affects
from .report import VersionStatus

__all__ = ["judge"]

# Of several packages or ranges: one that has the fault decides; a fix tells more than "older than the fault".
_WEIGHT = (VersionStatus.AFFECTED, VersionStatus.HAS_FIX, VersionStatus.PREDATES, VersionStatus.UNKNOWN)


def judge(affects: Iterable[Affects], look: Lookup) -> tuple[VersionStatus, str | None]:
    """The status of the stated versions, and the version that decided it (as stated, `0.8.5+cu128`); UNKNOWN and None when none is stated.

    Public versions are compared, in the order of PEP 440: 0.32.1.dev5 < 0.32.1rc0 < 0.32.1. `fixed` itself has the fix.
    """
    found: list[tuple[int, str | None]] = [(len(_WEIGHT) - 1, None)]
    for one in affects:
        fact = look(f"{one.package.lower().replace('-', '_')}_version")
        if fact is not None:
            found.append((_WEIGHT.index(_status(one, fact.value)), fact.stated))
    weight, stated = min(found, key=lambda each: (each[0], each[1] is None))
    return _WEIGHT[weight], stated


def _status(one: Affects, value: str) -> VersionStatus:
    version = public_version(value)
    introduced = public_version(one.introduced) if one.introduced else None
    fixed = public_version(one.fixed) if one.fixed else None
    if version is None or (introduced is None and fixed is None):
        return VersionStatus.UNKNOWN
    if introduced is not None and version < introduced:
        return VersionStatus.PREDATES
    if fixed is not None and version >= fixed:
        return VersionStatus.HAS_FIX
    return VersionStatus.AFFECTED
