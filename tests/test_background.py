"""How common a piece of text is: counted over other logs, and in a piece of the log at hand."""

import math

from hypothesis import given
from hypothesis import strategies as st

from fixbook.background import GRAM, PER, RARE, Background, Sample, shipped


def test_a_table_goes_through_its_bytes() -> None:
    table = Background.count([b"INFO: all is well\n" * 50, b"nothing else\n" * 9])
    again = Background.load(table.dump())
    assert again.levels(b"all is well else") == table.levels(b"all is well else")
    assert len(table.levels(b"all is well")) == len(b"all is well") - GRAM + 1
    assert max(table.levels(b"Info")) > max(table.levels(b"else")) > RARE
    assert Background.load(b"").levels(b"abcdef") == [RARE] * 3


def test_the_shipped_table_knows_what_healthy_logs_say() -> None:
    assert min(shipped().levels(b"INFO ")) > max(shipped().levels(b"dtype mismatch qk")[-3:])


@given(st.lists(st.sampled_from([b"abcdefgh", b"ABCDEFGH", b"cdefgh", b"\n", b"x", b"abab"]), max_size=60).map(b"".join))
def test_a_sample_counts_what_stands_in_it(text: bytes) -> None:
    windows = {b"abcdefgh", b"bcdefgha", b"hhhhhhhh", b"xx", b"\n"}
    sample = Sample(text, {False: windows, True: {b"abcdefgh", b"x"}}, {})
    scale = PER / max(len(text), 1)
    for fold, wanted, body in ((False, windows, text), (True, {b"abcdefgh", b"x"}, text.lower())):
        counts = {window: body.count(window) for window in wanted}
        told = sample.levels(fold)
        assert set(told) == {window for window, count in counts.items() if count}
        assert all(math.isclose(told[window], math.log2(1 + counts[window] * scale)) for window in told)


def test_what_is_known_of_more_of_the_log_counts_more() -> None:
    sample = Sample(
        b"abcdefgh" * 20, {False: {b"abcdefgh", b"qrstuvwx"}, True: set()}, {(b"abcdefgh", False): 1.5, (b"qrstuvwx", False): 9.0}
    )
    assert sample.levels(False) == {b"abcdefgh": 1.5, b"qrstuvwx": 9.0}
    assert sample.levels(True) == {}


def test_the_larger_the_sample_the_rarer_what_is_not_in_it() -> None:
    assert 0 < Sample(b"x" * (1 << 20), {}, {}).unseen < Sample(b"x" * (1 << 17), {}, {}).unseen < 1
