"""The pages in the description of the server: what is asked for, and what each field says."""

from __future__ import annotations

import re
from typing import Any

from ragstone.serve.asked import LONGEST
from ragstone.serve.page_fields import schema_of
from ragstone.serve.page_routes import PAGES, PageKind

_REASONS = {
    "400": "a word of the address is not one of those that are known",
    "401": "the token is missing or wrong",
    "403": "the request comes from another site, or names another host",
    "404": "there is nothing to show under this address",
    "503": "too many pages are asked for at once, or what was recorded is damaged",
}


def page_paths() -> dict[str, Any]:
    """Every page by its address, as HTML and as JSON."""
    made: dict[str, Any] = {"/": _page("root", PAGES[0], {"text/html": _text()})}
    for number, kind in enumerate(PAGES):
        json = {"application/json": {"schema": schema_of(kind.page)}}
        made[plain_path(kind.path)] = _page(f"page{number}", kind, {"text/html": _text()})
        made[plain_path(kind.json_path)] = _page(f"page{number}Json", kind, json)
    return made


def plain_path(path: str) -> str:
    """An address as OpenAPI writes it.

    >>> plain_path("/questions/{qid:path}.json")
    '/questions/{qid}.json'
    """
    return re.sub(r":\w+}", "}", path)


def _text() -> dict[str, Any]:
    return {"schema": {"type": "string"}}


def _page(name: str, kind: PageKind, content: dict[str, Any]) -> dict[str, Any]:
    inside = re.findall(r"{(\w+)", kind.path)
    short = {"type": "string", "maxLength": LONGEST}
    parameters = [
        *({"name": word, "in": "path", "required": True, "schema": short} for word in inside),
        *({"name": word, "in": "query", "schema": short} for word in kind.query),
    ]
    html = "text/html" in content
    reasons = {
        code: {"description": says, "content": _refusal(code, html)}
        for code, says in _REASONS.items()
    }
    return {
        "get": {
            "operationId": name,
            "summary": kind.says,
            "parameters": parameters,
            "responses": {"200": {"description": kind.says, "content": content}, **reasons},
        }
    }


def _refusal(code: str, html: bool) -> dict[str, Any]:
    """Who may not see a page is told so in JSON; what a page has to say is HTML."""
    error = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
    if html and code not in ("401", "403"):
        return {"text/html": _text()}
    return {"application/json": {"schema": error}}
