"""What once broke the program: short inputs, each with the right answer."""

from functools import cache

import pytest

import fixbook
from fixbook.api import Book, Report
from fixbook.log import read

LORA = "ValueError: LoRA rank 64 is greater than max_lora_rank 16."
LONG = 120_000  # characters: with work that grows with the square of a line, a test over so many does not end


@cache
def book() -> Book:
    return fixbook.load()


def diagnose(log: str) -> Report:
    return book().diagnose(log)


# --- work is bounded by the length of a line --------------------------------------------------------------------------------------


def test_a_line_full_of_exceptions_is_read_a_few_times_not_once_for_each() -> None:
    line = "RuntimeError: query and key must have " * 300
    log = read(line)
    assert sum(len(message.text) for message in log.messages) < 8 * len(line)


def test_exceptions_told_in_mid_line_keep_their_whole_text() -> None:
    told = "failed: ImportError: a (original error: ValueError('b')) then KeyError: c"
    texts = [message.text for message in read(told).messages]
    assert "ImportError: a (original error: ValueError('b')) then KeyError: c" in texts
    assert "ValueError: b" in texts
    assert "KeyError: c" in texts


@pytest.mark.parametrize("unit", ["`", "│ ", "| ", "~^", "version 1.2.3 ", "RuntimeError: x ", "ValueError('x "])
def test_a_line_of_nothing_but_closers_comes_to_an_end(unit: str) -> None:
    report = diagnose(LORA + "\n" + unit * (LONG // len(unit)) + "x" + unit)
    assert report.findings[0].entry.id == "vllm/lora-rank-exceeds-max"


def test_closers_at_the_end_of_a_line_are_cut_in_any_stack() -> None:
    assert read("a text of the program" + " |" * 5 + "  ").messages[0].text == "a text of the program"
    assert read("(w pid=1) it broke [repeated 3x across cluster] │").messages[0].text == "it broke"
