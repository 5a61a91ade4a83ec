"""The interface in OpenAPI 3.1: written by hand, with the published schema of a report in it.

python -m fixbook.bots.http.openapi > src/fixbook/bots/http/openapi.json
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from ...cards import PLATFORMS
from ...fact_kinds import FACTS, ValueKind
from ...shipped import shipped_root
from .choice import MEDIA_TYPES

__all__ = ["document", "text"]

Json = dict[str, Any]
_REPORTS = "schema/report.schema.json"
_FORMATS = [*MEDIA_TYPES, *PLATFORMS]


def text() -> str:
    """The file as it lies in the repository."""
    schema = json.loads((Path(shipped_root()) / _REPORTS).read_text("utf-8"))
    return json.dumps(document(schema), indent=1, ensure_ascii=False) + "\n"


def document(report_schema: Json) -> Json:
    """The whole document. `report_schema` is the JSON Schema of a report."""
    from ... import __version__

    return {
        "openapi": "3.1.0",
        "info": {
            "title": "fixbook",
            "version": __version__,
            "description": "Recognises known failures in logs and gives the fix article, in English and Chinese.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {
            "/v1/diagnose": {"post": _diagnose()},
            "/v1/entries": {"get": _entries()},
            "/v1/entries/{id}": {"get": _entry()},
            "/healthz": {"get": _plain("healthz", "The process lives.")},
            "/readyz": {"get": _readyz()},
            "/metrics": {"get": {**_plain("metrics", "Counters in the text format of Prometheus."), **_secured()}},
            "/openapi.json": {"get": _openapi()},
        },
        "components": {
            "schemas": {**_moved(report_schema["definitions"]), **_schemas()},
            "responses": {"Problem": _problem_response()},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _moved(definitions: Json) -> Json:
    """The schema's definitions as components, with their references."""
    moved: Json = json.loads(re.sub(r'"#/definitions/', '"#/components/schemas/', json.dumps(definitions)))
    return moved


def _secured() -> Json:
    """The token is asked for only where the server was started with one."""
    return {"security": [{}, {"bearer": []}]}


def _refusals(*statuses: int) -> Json:
    return {str(status): {"$ref": "#/components/responses/Problem"} for status in statuses}


def _problem_response() -> Json:
    return {
        "description": "Why there is no answer, and what to do (RFC 9457).",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/problem"}}},
    }


def _query(name: str, description: str, schema: Json) -> Json:
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _lang() -> Json:
    return _query("lang", "Language of the answer; without it Accept-Language decides.", {"enum": ["en", "zh", "both"]})


def _format() -> Json:
    return _query("format", "Format of the answer; without it Accept decides. The names of chats give their payloads.", {"enum": _FORMATS})


# How values are written, where not every text is one.
_VALUES = {
    ValueKind.CAPABILITY: r"\d{1,2}\.\d",
    ValueKind.DTYPE: r"(?:torch\.)?(?:b?float\d{1,2}|u?int\d{1,2}|fp\d[a-z0-9_]*|half)|auto",
    ValueKind.FLAG: "true|false",
    ValueKind.NUMBER: r"\d{1,15}(?:\.\d{1,6})?",
    ValueKind.SIZE: r"\d{1,9}(?:\.\d{1,6})? ?(?:[KMGT]i?B)?",
    ValueKind.VERSION: r"v?\d[!-~]*",
}


def _facts_of(kind: ValueKind) -> str:
    names = [name for name, fact in sorted(FACTS.items()) if fact.value is kind]
    return "|".join([*names, *(["[a-z][a-z0-9_]*_version"] if kind is ValueKind.VERSION else [])])


def _fact() -> Json:
    kinds = (f"(?:{_facts_of(kind)})=(?:{_VALUES.get(kind, '[!-~]+')})" for kind in ValueKind)
    return {"type": "string", "pattern": f"^(?:{'|'.join(kinds)})$"}


def _facts() -> Json:
    values = {f"^(?:{_facts_of(kind)})$": {"type": "string"} for kind in ValueKind}
    for kind, written in _VALUES.items():
        values[f"^(?:{_facts_of(kind)})$"]["pattern"] = f"^(?:{written})$"
    return {"type": "object", "patternProperties": values, "additionalProperties": False}


def _contents(json_schema: Json) -> Json:
    kinds = (kind.split(";")[0] for kind in MEDIA_TYPES.values())
    return {kind: {"schema": json_schema if kind == "application/json" else {"type": "string"}} for kind in kinds}


def _answer(description: str, schema: Json) -> Json:
    return {"200": {"description": description, "content": _contents(schema)}}


def _diagnose() -> Json:
    report = {"anyOf": [{"$ref": "#/components/schemas/report"}, {"$ref": "#/components/schemas/card"}]}
    text = {"schema": {"type": "string"}}
    return {
        "operationId": "diagnose",
        "summary": "What is known about a log",
        "description": "The log as plain text, or in JSON with what is known beside it. Either may come with Content-Encoding: gzip.",
        "parameters": [
            _lang(),
            _format(),
            _query("full", "With the whole article of the first finding.", {"type": "boolean"}),
            _query("redact", "Mask secrets of the log in the answer; on without it.", {"type": "boolean"}),
            _query("name", "How the answer calls the log.", {"type": "string", "maxLength": 300}),
            _query("fact", "What the log does not say: NAME=VALUE; may be repeated.", {"type": "array", "items": _fact()}),
        ],
        "requestBody": {
            "required": True,
            "content": {"text/plain": text, "application/json": {"schema": {"$ref": "#/components/schemas/question"}}},
        },
        "responses": {**_answer("The report.", report), **_refusals(400, 401, 406, 408, 413, 415, 429, 500, 503, 504)},
        **_secured(),
    }


def _entries() -> Json:
    return {
        "operationId": "entries",
        "summary": "The entries of the book",
        "parameters": [
            _query("q", "Words that all have to be in the entry.", {"type": "string"}),
            _query("component", "Only the entries of this component.", {"type": "string"}),
        ],
        "responses": {
            "200": {"description": "The list.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/entries"}}}},
            "304": {"description": "Unchanged."},
            **_refusals(401, 429, 500, 503, 504),
        },
        **_secured(),
    }


def _entry() -> Json:
    id = {"name": "id", "in": "path", "required": True, "description": "An id (`vllm/engine-dead`), a slug or an alias."}
    schema = {"anyOf": [{"$ref": "#/components/schemas/entry"}, {"$ref": "#/components/schemas/card"}]}
    return {
        "operationId": "entry",
        "summary": "The article of an entry",
        "parameters": [{**id, "schema": {"type": "string"}}, _lang(), _format()],
        "responses": {
            **_answer("The article.", schema),
            "304": {"description": "Unchanged."},
            **_refusals(400, 401, 404, 406, 429, 500, 503, 504),
        },
        **_secured(),
    }


def _plain(name: str, description: str) -> Json:
    responses = {"200": {"description": description, "content": {"text/plain": {"schema": {"type": "string"}}}}}
    return {"operationId": name, "responses": {**responses, **(_refusals(401) if name == "metrics" else {})}}


def _readyz() -> Json:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/status"}}}
    responses = {"200": {"description": "Ready.", "content": content}, "503": {"description": "Not ready.", "content": content}}
    return {"operationId": "readyz", "summary": "Whether requests are answered, and from which book", "responses": responses}


def _openapi() -> Json:
    content = {"application/json": {"schema": {"type": "object"}}}
    return {"operationId": "openapi", "responses": {"200": {"description": "This document.", "content": content}}}


def _object(required: Json, optional: Json | None = None, **more: Any) -> Json:
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}, **more}


def _schemas() -> Json:
    string, boolean, whole = {"type": "string"}, {"type": "boolean"}, {"type": "integer", "minimum": 0}
    texts = _object({"en": string, "zh": string})
    strings = {"type": "array", "items": string}
    identity = {"id": string, "aliases": strings, "kind": string, "title": texts, "summary": texts, "status": string, "severity": string}
    question = {
        "name": {**string, "maxLength": 300},
        "lang": {"enum": ["en", "zh", "both"]},
        "format": {"enum": _FORMATS},
        "full": boolean,
        "redact": boolean,
        "facts": _facts(),
    }
    return {
        "question": _object({"log": string}, question, additionalProperties=False),
        "problem": _object({"type": string, "title": string, "status": {"type": "integer"}, "detail": string}),
        "entries": _object({"schema_version": {"const": 1}, "entries": {"type": "array", "items": _object(identity)}}),
        "entry": _object({"schema_version": {"const": 1}, **identity, "sections": {"type": "object"}, "links": {"type": "array"}}),
        "card": {"type": "object", "description": "The payload that the chat takes."},
        "status": _object(
            {
                "ready": boolean,
                "book": _object({"version": string, "digest": string, "entries": whole, "loaded_at": string, "left_out": whole}),
                "reload": _object({"ok": boolean, "problems": strings}),
                "workers": _object({"alive": whole, "idle": whole}),
            }
        ),
    }


if __name__ == "__main__":
    sys.stdout.write(text())
