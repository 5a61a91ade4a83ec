"""`requires` and `rules_out` as a form: facts with their tests, `frames` and `messages` with a pattern."""

from typing import Any

from .entry_parts import Pattern, check_pattern, known_fact
from .form import Items, Key, May, Scalar, Shape, Values, Words
from .model import Condition, Conditions
from .reading import Reading, RefusedError, listed
from .yaml_reader import Node

__all__ = ["ConditionsForm"]

_GLOBS = Items(Scalar(), alone=True)
_FACT_KEY = r"^(?!(?:frames|messages)$)[a-z][a-z0-9_]*$"
_FACT = Words(r"^[a-z][a-z0-9_]*$", "the name of a fact", "model_dtype")
_BOUND = Words(r"^v?\d+(?:\.\d+)*[A-Za-z0-9.+-]*(?: ?[KMGT]i?B)?$", "a version, a number or a size", "24GiB")

_NOT = May("not", _GLOBS, "globs over normalised values, none of which may hold", ())
_SAME: May[str | None] = May("same_as", _FACT, "the fact has the same value as this other fact", None)
_NOT_SAME: May[str | None] = May("not_same_as", _FACT, "the fact has another value than this other fact", None)
_AT_LEAST: May[str | None] = May("at_least", _BOUND, "the smallest value", None)
_BELOW: May[str | None] = May("below", _BOUND, "the value has to be smaller than this", None)
_TESTS: tuple[Key[Any], ...] = (_NOT, _SAME, _NOT_SAME, _AT_LEAST, _BELOW)


def _test(values: Values, reading: Reading) -> Condition:
    given = [key.name for key in _TESTS if key.name in values.node.fields]
    if len(given) != 1 and given != ["at_least", "below"]:
        what = "one test a condition" + (f", here are {listed(given)}" if given else ", here is none")
        raise reading.refuse(values.node.where, "one-test", what, "only `at_least` and `below` go together")
    for key in (_SAME, _NOT_SAME):
        other = values[key]
        if other is not None:
            known_fact(other, values.node.at(key.name), reading)
    return Condition(
        fact="",
        none_of=values[_NOT],
        same_as=values[_SAME],
        not_same_as=values[_NOT_SAME],
        at_least=values[_AT_LEAST],
        below=values[_BELOW],
    )


_TEST = Shape(_TESTS, _test)


class ConditionsForm:
    """A mapping from facts to tests; `frames` and `messages` hold a pattern."""

    def read(self, node: Node, reading: Reading) -> Conditions:
        if node.kind != "mapping" or not node.fields:
            raise reading.wrong_type(node, "a mapping from facts to what they have to be", "write `kv_cache_dtype: [float16]`")
        facts: list[Condition] = []
        patterns: dict[str, str] = {}
        fine = True
        for name, child in node.fields.items():
            try:
                if name in ("frames", "messages"):
                    patterns[name] = Pattern().read(child, reading)
                    check_pattern(patterns[name], "", child.where, reading)
                else:
                    facts.append(_condition(name, child, reading))
            except RefusedError:
                fine = False
        if not fine:
            raise RefusedError
        return Conditions(tuple(facts), patterns.get("frames"), patterns.get("messages"))

    def schema(self) -> dict[str, Any]:
        pattern = Pattern().schema()
        patterns = {
            "frames": {**pattern, "description": "a pattern that a frame of the hit's own traceback matches"},
            "messages": {**pattern, "description": "a pattern that some message of the same run matches"},
        }
        tests = {_FACT_KEY: {"anyOf": [_GLOBS.schema(), {**_TEST.schema(), "minProperties": 1}]}}
        return {"type": "object", "properties": patterns, "patternProperties": tests, "additionalProperties": False}


def _condition(name: str, node: Node, reading: Reading) -> Condition:
    known_fact(name, node.where, reading)
    if node.kind == "mapping":
        test = _TEST.read(node, reading)
        return Condition(
            fact=name,
            none_of=test.none_of,
            same_as=test.same_as,
            not_same_as=test.not_same_as,
            at_least=test.at_least,
            below=test.below,
            where=node.where,
        )
    return Condition(fact=name, any_of=_GLOBS.read(node, reading), where=node.where)
