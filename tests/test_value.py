"""Values are what frozen dataclasses with slots are: made by position or name, equal by fields, never changed, copied, pickled, matched."""

import copy
import pickle
from collections.abc import Mapping

import pytest

from fixbook.value import Value, field, fields, replace


class Place(Value):
    name: str
    line: int = 1


class Found(Place):
    words: Mapping[str, str] = field(default_factory=dict)
    seen: int = field(default=0, compare=False)

    @property
    def upper(self) -> str:
        return self.name.upper()


def test_made_by_position_and_by_name() -> None:
    assert Found("a", 2, {"b": "c"}, 3) == Found(seen=3, words={"b": "c"}, line=2, name="a")
    made = Found("a")
    assert (made.name, made.line, made.words, made.seen, made.upper) == ("a", 1, {}, 0, "A")
    assert made.words is not Found("a").words
    assert fields(Found) == fields(made) == ("name", "line", "words", "seen")


@pytest.mark.parametrize(
    ("given", "named", "message"),
    [
        ((), {}, "Place needs a value for 'name'"),
        (("a", 1, 2), {}, "Place takes 2 values, 3 were given"),
        (("a",), {"name": "b"}, "Place was given 'name' twice"),
        (("a",), {"lines": 2}, "Place was given 'lines' and has no such field"),
    ],
)
def test_a_wrong_call_is_told(given: tuple[object, ...], named: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Place(*given, **named)  # type: ignore[arg-type]


def test_never_changed() -> None:
    made = Place("a")
    with pytest.raises(AttributeError, match="replace"):
        made.name = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del made.name
    with pytest.raises(AttributeError):
        made.other = 1  # type: ignore[attr-defined]
    assert made == Place("a")


def test_equal_by_the_fields_that_count() -> None:
    assert Place("a") != Place("b")
    assert Place("a") != ("a", 1)
    assert Place("a", 1) != Found("a", 1)
    assert Found("a", seen=1) == Found("a", seen=2)
    assert len({Place("a"), Place("a"), Place("b")}) == 2


def test_copied_with_changes() -> None:
    assert replace(Found("a", 2), name="b") == Found("b", 2)
    with pytest.raises(TypeError, match="Place has no field 'lines'"):
        replace(Place("a"), lines=2)


def test_travels() -> None:
    made = Found("a", 2, {"b": "c"}, 3)
    for other in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert other == made
        assert other.seen == 3


def test_shown_and_matched() -> None:
    assert repr(Place("a")) == "Place(name='a', line=1)"
    match Place("a", 4):
        case Place(name, line):
            assert (name, line) == ("a", 4)


def test_no_dictionary_of_its_own() -> None:
    assert not hasattr(Place("a"), "__dict__")
    assert not hasattr(Found("a"), "__dict__")
