"""What the retrieval suite reads: gold with paraphrases, logs of query runs, the chunk manifest.

Logs pass through many hands, and a `ΔS` that one of them read in the wrong encoding arrives as
`Î”S` or `ŒîS`. Those spellings are known here, in keys and in values: no log needs repair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragstone.contracts.record import Field, Record

# How each type is counted; a formula is kept like code, because every character of it matters.
TYPES: Mapping[str, str] = {
    "prose": "prose",
    "code": "code",
    "table": "table",
    "figure": "figure",
    "paragraph": "prose",
    "caption": "figure",
    "formula": "code",
}

CONVERGES, COLLAPSES, SPLITS, SCATTERS = "→", "←", "<>", "×"


def misread(text: str) -> tuple[str, ...]:
    """How UTF-8 text looks after it was read as Latin-1, cp1252 or MacRoman.

    >>> misread("ΔS")
    ('Î\\x94S', 'Î”S', 'ŒîS')
    """
    raw = text.encode("utf-8")
    found = [raw.decode("latin-1"), "".join(_cp1252(raw)), raw.decode("mac_roman")]
    return tuple(dict.fromkeys(each for each in found if each != text))


def _cp1252(raw: bytes) -> Iterator[str]:
    for byte in raw:
        try:
            yield bytes((byte,)).decode("cp1252")
        except UnicodeDecodeError:
            # Five bytes mean nothing in cp1252; browsers and editors let them through as controls.
            yield chr(byte)


def _states() -> Iterator[tuple[str, str]]:
    plain = {CONVERGES: "->", COLLAPSES: "<-", SPLITS: "<>", SCATTERS: "x"}
    for state, ascii_form in plain.items():
        for spelling in dict.fromkeys((state, ascii_form, *misread(state))):
            yield spelling, state


# spelling → state, for every spelling of a state.
STATES: Mapping[str, str] = dict(_states())

DELTA_S = ("ΔS", "delta_s", "dS", *misread("ΔS"))
LAMBDA_STATE = ("λ_state", "lambda_state", *misread("λ_state"))


def _spelled(names: tuple[str, ...], kind: str) -> Iterator[Field]:
    for name in names:
        says = names[0] if name == names[0] else f"another spelling of {names[0]}"
        if kind == "numbers":
            yield Field(name, "numbers", f"{says}: 1 - cosine, one per topk entry", beside="topk")
        else:
            yield Field(name, "text", f"{says}: → ← <> or ×", choices=tuple(STATES))


RETRIEVAL_GOLD = Record(
    "retrieval_gold",
    "A question in several wordings, with the chunks that answer it.",
    (
        Field("qid", "text", "the question's id, unique in the file", required=True, filled=True),
        Field("paraphrases", "texts", "its wordings, usually 3", required=True, filled=True),
        Field("relevant", "texts", "ids of the chunks that answer it", required=True, filled=True),
        Field("anchor_section", "text", "the section the answer stands in, such as S.4.2"),
        Field("negatives", "texts", "ids that look right and are wrong"),
        Field("relevant_offsets", "spans", "where in the canonical text a relevant id's proof is"),
        Field("notes", "any", "kept, never scored"),
        Field("tags", "texts", "names of the slices the question belongs to"),
    ),
)

RETRIEVAL_LOG = Record(
    "retrieval_log",
    "What the index returned for one query run, and what the answer cited of it.",
    (
        Field("qid", "text", "the gold question that was asked", required=True, filled=True),
        Field("query", "text", "the wording that was asked"),
        Field("paraphrase", "any", "which paraphrase this was; without it, the wording tells"),
        Field("seed", "any", "the seed of the run"),
        Field(
            "topk", "hits", "what was retrieved, best first", required=True, choices=tuple(TYPES)
        ),
        *_spelled(DELTA_S, "numbers"),
        *_spelled(LAMBDA_STATE, "text"),
        Field("anchor", "text", "the section the pipeline itself anchored to"),
        Field("index_hash", "text", "which build of the index answered"),
        Field("normalizer", "text", "how text was normalised before it was indexed"),
        Field("reranker", "text", "what ordered the results again"),
        Field("ts", "moment", "when the query ran"),
        Field(
            "answer_citations",
            "hits",
            "what the answer cited; absent: there was no answer",
            choices=tuple(TYPES),
        ),
    ),
)

MANIFEST = Record(
    "manifest",
    "A chunk of the index: its section, its place in the canonical text, its type.",
    (
        Field("id", "text", "the chunk's id, unique in the file", required=True, filled=True),
        Field("section_id", "text", "the section it stands in", required=True),
        Field("offsets", "span", "its bytes in the canonical text, half-open", required=True),
        Field("type", "text", "prose, code, table or figure", required=True, choices=tuple(TYPES)),
        Field("doc", "text", "the document it is from, where there are several"),
        Field("hash", "text", "of its text: SHA-256, SHA-1 or MD5 in hex, or the start of one"),
        Field("text", "text", "its text"),
    ),
)

TEXTS = Record(
    "texts",
    "The text of a chunk, where the manifest does not carry it.",
    (
        Field("id", "text", "the chunk's id, unique in the file", required=True, filled=True),
        Field("text", "text", "its text", required=True),
    ),
)
