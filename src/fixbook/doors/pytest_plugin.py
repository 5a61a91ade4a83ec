"""The plugin for pytest: `pytest --fixbook` adds what the book knows to the report of a failed test.

Off by default. Without the option nothing but this file is imported.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

__all__ = ["pytest_addoption", "pytest_configure"]

_RUNNER = re.compile(r"[\\/](?:_pytest|pluggy)[\\/]")  # frames of what runs a test
_LONGEST = 200_000  # characters of captured output in front of the traceback


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fixbook", "known causes of failures")
    group.addoption("--fixbook", action="store_true", help="add the article of a known cause to the report of a failed test")
    group.addoption("--fixbook-lang", choices=("en", "zh", "both"), help="its language; default: FIXBOOK_LANG, else the locale")
    group.addoption("--fixbook-kb", action="append", default=[], metavar="DIR", help="put this book over the shipped one (repeatable)")
    parser.addini("fixbook", "true: as with --fixbook", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("fixbook") or config.getini("fixbook"):
        config.pluginmanager.register(_Findings(config), "fixbook-findings")


class _Findings:
    """Adds a section to reports of failures: of tests, of their fixtures, of modules that cannot be imported."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Iterator[None]:
        outcome: Any = yield
        self._add(outcome.get_result(), call)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self) -> Iterator[None]:
        outcome: Any = yield
        report = outcome.get_result()
        self._add(report, getattr(report, "call", None))

    def _add(self, report: Any, call: pytest.CallInfo[Any] | None) -> None:
        if not report.failed or call is None or call.excinfo is None:
            return
        try:
            text = self._article(report, call.excinfo.value)
        except Exception as trouble:  # the test's own report must come
            text = f"{type(trouble).__name__}: {trouble}"
        if text:
            report.sections.append(("fixbook", text))

    def _article(self, report: Any, error: BaseException) -> str:
        import traceback

        from ..hook import Settings
        from .telling import report_on_text

        printed = "\n".join(text for name, text in report.sections if name.startswith("Captured "))
        trace = error.__traceback__
        while trace is not None and _RUNNER.search(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        raised = "".join(traceback.format_exception(type(error), error, trace))
        settings = Settings(self._config.getoption("fixbook_lang"), tuple(self._config.getoption("fixbook_kb")))
        found = report_on_text(f"{printed[-_LONGEST:]}\n{raised}", settings, "test")
        if found is None:
            return ""
        writer = self._config.get_terminal_writer()
        return found.text(writer.hasmarkup, min(writer.fullwidth, 120))
