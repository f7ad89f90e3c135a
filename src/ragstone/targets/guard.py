"""Checks a language model's answer against the evidence; passes it, or refuses with a reason.

`messages` writes a prompt that allows the evidence and nothing else; `judge` reads the output of
the model. Retrieved text is data: it stands between lines with a mark that it cannot contain, so
it cannot pass for a rule.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from ragstone.contracts.strict_json import NotJson, parse
from ragstone.contracts.toml_file import packaged
from ragstone.matching.support import Facts, split_claim
from ragstone.matching.support import judge as judge_sentences
from ragstone.suites.answers.refusal_rules import REFUSAL
from ragstone.suites.answers.scu import DEFAULT_RULES, Contradictions, compile_rules
from ragstone.targets.plain_readings import in_latin, is_blank, readings

_TEXTS = packaged("ragstone.targets", "guard.toml")
# In the order of the checks: the first that holds is the reason.
REJECTIONS: Mapping[str, str] = _TEXTS["rejections"]
Message = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One retrieved text; `source` says where it comes from."""

    id: str
    text: str
    source: str = "corpus"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be shown to the user; `reason` is set when the model's answer was rejected."""

    answer_json: Mapping[str, object]
    reason: str | None = None
    says: str = ""

    @property
    def ok(self) -> bool:
        return self.reason is None


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The output of the model, after its fields were checked."""

    claim: str
    citations: list[str]
    constraints_echo: list[str]


class _Rejected(Exception):
    """Raised with the reason, a key of REJECTIONS, and a sentence about this answer."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The refusal token, what counts as the corpus, and what contradicts a constraint.

    Evidence is admissible when its source is one of `sources` and, where `corpus` lists the ids
    of the corpus, its id is among them. With `support`, every number, date and quotation of the
    claim must be in the cited evidence too, by the rules of `ragstone audit`.

    >>> guard, found = Guard(), [Evidence("p1#2", "X rejects null keys.")]
    >>> output = '{"citations": ["p1#2"], "claim": "X rejects them.", "constraints_echo": []}'
    >>> guard.judge(output, found).answer_json["claim"]
    'X rejects them.'
    >>> verdict = guard.judge(output.replace("p1#2", "p9#9"), found)
    >>> verdict.answer_json["claim"], verdict.reason
    ('not in context', 'citation_out_of_scope')
    """

    refusal: str = REFUSAL
    sources: Collection[str] = ("corpus",)
    corpus: Collection[str] | None = None
    rules: Contradictions = field(
        default_factory=partial(compile_rules, DEFAULT_RULES), repr=False, compare=False
    )
    support: bool = False

    def admissible(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """The evidence that the model may see: from the corpus, each id once, in rank order."""
        first: dict[str, Evidence] = {}
        for item in evidence:
            if item.source in self.sources and (self.corpus is None or item.id in self.corpus):
                first.setdefault(item.id, item)
        return tuple(first.values())

    def messages(
        self, question: str, evidence: Sequence[Evidence], constraints: Sequence[str] = ()
    ) -> tuple[Message, ...]:
        """The prompt: rules for the model, then evidence and question between marked lines."""
        shown = self.admissible(evidence)
        mark = _mark((question, *constraints, *(part for e in shown for part in (e.id, e.text))))
        blocks = [_fenced(mark, f"evidence {_quoted(item.id)}", item.text) for item in shown]
        asked = _fenced(mark, "question", question)
        locked = _TEXTS["locked" if constraints else "not_locked"].format(
            constraints=json.dumps(list(constraints), ensure_ascii=False)
        )
        rules = _TEXTS["rules"].format(mark=mark, refusal=_quoted(self.refusal), locked=locked)
        return (
            {"role": "system", "content": rules},
            {"role": "user", "content": "\n\n".join((*blocks, asked))},
        )

    def schema(
        self, evidence: Sequence[Evidence], constraints: Sequence[str] = ()
    ) -> dict[str, object]:
        """The JSON Schema of an answer, for endpoints that constrain the output of a model.

        Citations come first, because a model that has named its evidence writes the claim from
        it; only retrieved ids are allowed.
        """
        shown = [item.id for item in self.admissible(evidence)]
        fields = {
            "citations": _list_of(shown),
            "claim": {"type": "string"},
            "constraints_echo": _list_of(constraints),
        }
        return {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }

    def judge(
        self, output: str, evidence: Sequence[Evidence], constraints: Sequence[str] = ()
    ) -> Verdict:
        """The model's answer if it keeps every rule, otherwise the refusal with the reason."""
        try:
            if not self.admissible(evidence):
                raise _Rejected("no_evidence", REJECTIONS["no_evidence"])
            parsed = _read(output)
            if self._is_refusal(parsed):
                return Verdict(self.refused(constraints))
            self._check_citations(parsed.citations, evidence)
            self._check_constraints(parsed, constraints)
            if self.support:
                _check_support(parsed, self.admissible(evidence))
        except _Rejected as rejected:
            return Verdict(self.refused(constraints), *rejected.args)
        return Verdict(asdict(parsed))

    def around(
        self,
        model: Callable[[Sequence[Message]], str],
        question: str,
        evidence: Sequence[Evidence],
        constraints: Sequence[str] = (),
    ) -> Verdict:
        """Asks the model, if there is any evidence to answer from, and judges its output."""
        if not self.admissible(evidence):
            return self.judge("", evidence, constraints)
        output = model(self.messages(question, evidence, constraints))
        return self.judge(output, evidence, constraints)

    def refused(self, constraints: Sequence[str] = ()) -> dict[str, object]:
        """The refusal as an answer; it carries the locked constraints."""
        return {"claim": self.refusal, "citations": [], "constraints_echo": list(constraints)}

    def _is_refusal(self, parsed: _Parsed) -> bool:
        claim = " ".join(parsed.claim.casefold().split())
        token = self.refusal.casefold()
        if claim == token:
            if parsed.citations:
                raise _Rejected("refusal_cites", f"cites {_quoted(parsed.citations[0])}")
            return True
        if token in claim:
            raise _Rejected("refusal_inexact", f"says {_quoted(parsed.claim)}")
        return False

    def _check_citations(self, citations: Sequence[str], evidence: Sequence[Evidence]) -> None:
        if not citations:
            raise _Rejected("no_citation", REJECTIONS["no_citation"])
        allowed = {item.id for item in self.admissible(evidence)}
        retrieved = {item.id for item in evidence}
        for id in citations:
            if id in allowed:
                continue
            if id in retrieved:
                raise _Rejected("provenance", f"cites {_quoted(id)}, which is not of the corpus")
            raise _Rejected("citation_out_of_scope", f"cites {_quoted(id)}, not retrieved")

    def _check_constraints(self, parsed: _Parsed, constraints: Sequence[str]) -> None:
        locked = {text.strip() for text in constraints}
        echoed = {text.strip() for text in parsed.constraints_echo}
        for text in sorted(locked ^ echoed):
            verb = "does not echo" if text in locked else "adds"
            raise _Rejected("constraints_mismatch", f"{verb} {_quoted(text)}")
        kept = list(dict.fromkeys((*constraints, *map(in_latin, constraints))))
        for reading in readings(parsed.claim):
            found = self.rules.contradiction(kept, reading)
            if found is not None:
                raise _Rejected("constraint_contradicted", found)


def _check_support(parsed: _Parsed, evidence: Sequence[Evidence]) -> None:
    facts = {item.id: Facts(item.text) for item in evidence if item.id in parsed.citations}
    said = split_claim(parsed.claim, parsed.citations)
    for sentence in judge_sentences(said, [facts] * len(said)):
        for found in sentence.parts:
            if found.verdict != "supported":
                cited = ", ".join(map(_quoted, sentence.ids))
                raise _Rejected("unsupported", f"says {_quoted(found.part.text)}, not in {cited}")


def _list_of(texts: Sequence[str]) -> dict[str, object]:
    # JSON Schema asks for at least one value in `enum`.
    items: dict[str, object] = {"type": "string"}
    return {"type": "array", "items": {**items, "enum": list(texts)} if texts else items}


def _read(output: str) -> _Parsed:
    """Parses the output, which is one JSON object and nothing else, and checks its fields."""
    try:
        value = parse(output.strip().encode("utf-8", "surrogatepass"))
    except NotJson as error:
        raise _Rejected("not_json", str(error)) from None
    if not isinstance(value, dict):
        raise _Rejected("not_json", f"expected an object, found {_quoted(value)}")
    for name in value:
        if name not in ("claim", "citations", "constraints_echo"):
            raise _Rejected("schema", f"unknown field {_quoted(name)}")
    claim = value.get("claim")
    if not isinstance(claim, str) or is_blank(claim):
        raise _Rejected("schema", f"claim: expected a sentence, found {_quoted(claim)}")
    # A model that was given no constraints may leave the field out.
    echo = _texts("constraints_echo", value.get("constraints_echo", []))
    return _Parsed(claim, _texts("citations", value.get("citations")), echo)


def _texts(name: str, found: object) -> list[str]:
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise _Rejected("schema", f"{name}: expected a list of strings, found {_quoted(found)}")
    return found


def _mark(texts: Sequence[str]) -> str:
    """A mark that none of the texts contains, the same for the same texts."""
    joined = "\0".join(texts)
    mark = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    while mark in joined:
        mark = hashlib.sha256(mark.encode()).hexdigest()[:16]
    return mark


def _fenced(mark: str, title: str, text: str) -> str:
    return f"<<<{mark} {title}>>>\n{text}\n<<<{mark} end>>>"


def _quoted(value: object) -> str:
    """A value as JSON on one line, cut when long; its line breaks and quotes are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:200] + "…"
