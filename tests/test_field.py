"""The book on real reports: covered causes first, nothing wrong with confidence, nothing found where nothing is."""

from collections import Counter
from functools import cache

import pytest

import fixbook
from field import field_logs, negative_logs
from fixbook.api import Book, Report
from fixbook.model import Kind, Level


@cache
def _book() -> Book:
    return fixbook.load()


def _names(report: Report) -> list[tuple[set[str], str, str]]:
    out = []
    for finding in report.findings:
        if finding.entry.kind is not Kind.BENIGN:
            names = {name.rsplit("/", 1)[-1] for name in (finding.entry.id, *finding.entry.aliases)}
            out.append((names, finding.entry.id, str(finding.level)))
    return out


def test_reports_of_covered_causes() -> None:
    covered = {name.rsplit("/", 1)[-1] for entry in _book().entries for name in (entry.id, *entry.aliases)}
    count: Counter[str] = Counter()
    misses = []
    for case in field_logs():
        found = _names(_book().diagnose("\n".join(case.lines)))
        if case.names & covered:
            first = bool(found) and bool(found[0][0] & case.names)
            count["first" if first else "missed"] += 1
            if first:
                count["sure" if found[0][2] in (Level.CONFIRMED, Level.LIKELY) else "possible"] += 1
            else:
                misses.append(f"{case.name}: {[row[1] for row in found[:3]]}")
        elif found and found[0][2] in (Level.CONFIRMED, Level.LIKELY) and _kind(found[0][1]) is Kind.CAUSE:
            count["wrong with confidence"] += 1
            misses.append(f"{case.name}: {found[0][1]} with confidence")
    assert count["first"] >= 0.97 * (count["first"] + count["missed"]), misses
    assert count["sure"] >= 0.8 * count["first"]
    assert count["wrong with confidence"] == 0, misses


def _kind(entry: str) -> Kind:
    return _book()[entry].kind


def test_negative_logs() -> None:
    wrong = []
    for kind, ambiguous, data in negative_logs():
        report = _book().diagnose(data)
        alarms = [finding.entry.id for finding in report.findings if finding.entry.kind is not Kind.BENIGN]
        wanted = "unknown" if kind == "unknown-app-error" else "clean"
        if not ambiguous and (alarms or report.verdict != wanted):
            wrong.append(f"{kind}: {report.verdict} {alarms}")
    assert not wrong


# --- what is only a consequence of what --------------------------------------------------------------------------------------------

VLLM = "/usr/local/lib/python3.12/dist-packages/vllm/v1/worker/gpu_model_runner.py"
NOT_FOUND = "version `GLIBC_2.34' not found (required by /opt/venv/lib/python3.10/site-packages/vllm/_C.abi3.so)"
UNDEFINED = (
    "/opt/venv/lib/python3.12/site-packages/flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi"
)
CHAINS = {
    "glibc": (
        f'Failed to import from vllm._C with ImportError("/lib64/libc.so.6: {NOT_FOUND}")\n'
        "AttributeError: '_OpNamespace' '_C' object has no attribute 'rms_norm'\n",
        "flash-attn/glibc-version-not-found",
        "vllm/vllm-c-opnamespace-missing-op",
    ),
    "flash-attn": (
        "ERROR 03-04 10:11:50 [registry.py:379] Error in inspecting model architecture 'Qwen2ForCausalLM'\n"
        f"ERROR 03-04 10:11:50 [registry.py:379] ImportError: {UNDEFINED}\n",
        "flash-attn/flash-attn-undefined-symbol-torch-abi",
        "vllm/model-arch-inspection-subprocess-failed",
    ),
    "HIP": (
        f'Traceback (most recent call last):\n  File "{VLLM}", line 2202, in profile_run\n'
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.16 GiB. "
        "GPU 0 has a total capacity of 23.64 GiB of which 1.1 GiB is free.\n",
        "vllm/cuda-oom-memory-profiling",
        "pytorch/torch-hip-out-of-memory",
    ),
}


@pytest.mark.parametrize(("log", "cause", "consequence"), CHAINS.values(), ids=CHAINS)
def test_a_cause_and_its_consequence_are_one_finding(log: str, cause: str, consequence: str) -> None:
    report = _book().diagnose(log)
    assert [finding.entry.id for finding in report.findings] == [cause]
    assert consequence in [finding.entry.id for finding in report.consequences]
