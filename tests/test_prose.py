"""What stands in a piece of prose."""

from fixbook.prose import code_spans, html_tags, links, numbers, placeholders, without_code


def test_placeholders() -> None:
    assert placeholders('`{model}` of {gpu_name}, {{not_this}}, {"json": {a2}} and {A} and {a b}') == ("model", "gpu_name", "a2")


def test_code_spans() -> None:
    assert code_spans("set `a`, ``b ` c`` and\n\n```sh\nrun `x`\n```\nthen `d`.") == ("run `x`", "a", "b ` c", "d")
    assert code_spans("a lonely ` tick") == ()


def test_without_code() -> None:
    assert without_code("set `a`,\n```\nx\n```\nend", "#") == "set #,\n#\n\nend"


def test_html() -> None:
    assert html_tags("a < b, `<c>`, <https://example.org/x>, 1<2 and a->b") == ()
    assert html_tags('<br> and <a href="x">y</a> <!-- z -->') == ("<br>", '<a href="x">', "</a>", "<!--")


def test_links() -> None:
    text = "见 https://example.org/a，以及 (https://example.org/b). [x](https://example.org/c) `https://example.org/d`"
    assert links(text) == ("https://example.org/a", "https://example.org/b", "https://example.org/c")


def test_numbers() -> None:
    text = "v0.8.1 and 0.32.1rc0, H100 with 80 GB, 80GB, `--tp 4`, https://example.org/77, float16, 8×H100, 1.5."
    assert numbers(text) == ("0.8.1", "0.32.1rc0", "80", "80", "8", "1.5")
