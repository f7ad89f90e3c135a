"""What an `answer_json` says and cites, in Python; the engine's way is suites/answers/trace.sql."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def claim_of(answer: Mapping[str, object]) -> str | None:
    """The claim: the texts of `claims`, joined by a space, or else `claim`.

    >>> claim_of({"claims": [{"text": "It is so."}, {"text": "It was."}], "claim": "not read"})
    'It is so. It was.'
    """
    sentences = list(_sentences(answer))
    if sentences:
        return " ".join(str(each.get("text")) for each in sentences)
    claim = answer.get("claim")
    return claim if isinstance(claim, str) else None


def citations_of(answer: Mapping[str, object]) -> list[str]:
    """What the answer cites, and what each sentence of `claims` does: each id once, in order.

    >>> citations_of({"citations": ["p2"], "claims": [{"text": "So.", "citations": ["p1", "p2"]}]})
    ['p2', 'p1']
    """
    found: dict[str, None] = {}
    for each in (answer, *_sentences(answer)):
        cited = each.get("citations")
        found.update(dict.fromkeys(map(str, cited if isinstance(cited, list) else ())))
    return list(found)


def _sentences(answer: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    claims = answer.get("claims")
    for each in claims if isinstance(claims, list) else ():
        if isinstance(each, dict):
            yield each
