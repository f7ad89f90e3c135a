"""The editor of gold in the description of the server: what its forms send, and what comes back."""

from __future__ import annotations

from typing import Any

from ragstone.serve.gold_form import KINDS, PLACE

_TEXT = {"text/html": {"schema": {"type": "string"}}}
_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_JSON_ERROR = {"application/json": {"schema": _ERROR}}
_FIELDS = {
    "token": "the proof in the form that was made for this browser",
    "since": "the SHA-256 of the gold file that the work began with",
    "base": "the item as it was, as JSON; nothing of a new one",
    "do": "check, review or save",
    "name": "the qid",
    "question": "what is asked",
    "answerable": "yes or no",
    "phrases": "words that prove the answer, one phrase a line",
    "kind": f"the kind of a typed answer: {', '.join(filter(None, KINDS))}, or nothing",
    "value": "what the typed answer is",
    "unit": "the unit of a number",
    "chunk": "the id of a chunk that proves it; may be repeated",
    "chunks": "more ids, one a line",
    "paraphrases": "other wordings, one a line",
    "tags": "tags, with commas between them",
    "anchor": "of retrieval gold: the section",
    "by": "who saves",
    "why": "why, for the freeze",
    "freeze": "yes freezes a gold set that is not frozen yet",
}
_REFUSED = {
    "400": "the form has too many fields",
    "401": "nobody has signed in who asked to edit",
    "403": "the form comes from another site, is too old, or is of another browser",
    "408": "the form did not arrive in time",
    "413": "the form is too long",
    "415": "the body is no form",
}


def gold_paths() -> dict[str, Any]:
    """The paths of the editor."""
    words = {name: {"type": "string", "description": says} for name, says in _FIELDS.items()}
    places = {name: {"type": "string"} for name in PLACE}
    schema = {"type": "object", "properties": {**places, **words}}
    body = {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}
    refused = {
        code: {"description": says, "content": _JSON_ERROR} for code, says in _REFUSED.items()
    }
    found = {
        "wrong": {"type": "array", "items": {"type": "string"}},
        "weak": {"type": "array", "items": {"type": "object"}},
    }
    looked = {"application/json": {"schema": {"type": "object", "properties": found}}}
    return {
        "/gold/edit": {
            "get": _page("goldEdit", "The editor, for a question or a record.", PLACE),
            "post": {
                "operationId": "postGoldEdit",
                "summary": "Check a draft, review its change, or save it.",
                "requestBody": body,
                "responses": {
                    "200": {"description": "the editor, or the review", "content": _TEXT},
                    "303": {"description": "it is saved; the page that says so"},
                    **refused,
                    "409": {"description": "the gold set has changed since", "content": _TEXT},
                    "422": {"description": "something is to be mended first", "content": _TEXT},
                    "503": {"description": "the file cannot be written", "content": _TEXT},
                },
            },
        },
        "/gold/lint": {
            "post": {
                "operationId": "postGoldLint",
                "summary": "What lint says of a draft.",
                "requestBody": body,
                "responses": {
                    "200": {"description": "what is wrong and what is weak", "content": looked},
                    **refused,
                },
            }
        },
        "/gold/saved": {"get": _page("goldSaved", "An item that was saved.", ("qid",))},
    }


def _page(name: str, says: str, query: tuple[str, ...]) -> dict[str, Any]:
    text = {"type": "string", "maxLength": 500}
    reasons = {"401": _REFUSED["401"], "404": "there is nothing to show", "503": "it is damaged"}
    return {
        "operationId": name,
        "summary": says,
        "parameters": [{"name": word, "in": "query", "schema": text} for word in query],
        "responses": {
            "200": {"description": says, "content": _TEXT},
            **{code: {"description": why} for code, why in reasons.items()},
        },
    }
