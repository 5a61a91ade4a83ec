"""The version status: public versions in the order of PEP 440."""

import pytest

from fixbook.facts import Lookup, normalise
from fixbook.model import Affects
from fixbook.report import Fact, VersionStatus
from fixbook.versions import judge


def look(**stated: str) -> Lookup:
    known = {name: Fact(name, value, text, "log", 1) for name, text in stated.items() if (value := normalise(name, text))}
    return known.get


@pytest.mark.parametrize(
    ("stated", "status"),
    [
        ("0.31.0", VersionStatus.AFFECTED),
        ("0.32.0", VersionStatus.AFFECTED),
        ("0.32.1.dev5", VersionStatus.AFFECTED),
        ("0.32.1rc0", VersionStatus.HAS_FIX),
        ("0.32.1", VersionStatus.HAS_FIX),
        ("0.33.0+cu128", VersionStatus.HAS_FIX),
        ("0.29.9", VersionStatus.PREDATES),
        ("0.30.0rc1", VersionStatus.PREDATES),
        ("0.30.0", VersionStatus.AFFECTED),
    ],
)
def test_status_of_a_stated_version(stated: str, status: VersionStatus) -> None:
    affects = [Affects("vllm", introduced="0.30.0", fixed="0.32.1rc0", first_release="0.33.0")]
    assert judge(affects, look(vllm_version=stated)) == (status, stated)


def test_nothing_stated_and_nothing_known() -> None:
    assert judge([Affects("vllm", fixed="1.0")], look()) == (VersionStatus.UNKNOWN, None)
    assert judge([], look(vllm_version="0.9.1")) == (VersionStatus.UNKNOWN, None)
    assert judge([Affects("vllm")], look(vllm_version="0.9.1")) == (VersionStatus.UNKNOWN, "0.9.1")


def test_of_several_packages_one_that_has_the_fault_decides() -> None:
    affects = [Affects("vllm", fixed="0.9.0"), Affects("flash-attn", introduced="2.7", fixed="2.8")]
    assert judge(affects, look(vllm_version="0.9.1", flash_attn_version="2.7.4.post1")) == (VersionStatus.AFFECTED, "2.7.4.post1")
    assert judge(affects, look(vllm_version="0.9.1")) == (VersionStatus.HAS_FIX, "0.9.1")
    assert judge(affects, look(vllm_version="0.9.1", flash_attn_version="2.6.0")) == (VersionStatus.HAS_FIX, "0.9.1")
