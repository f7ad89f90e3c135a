"""The blocks of a report: plain data that suites make and every renderer can show."""

from __future__ import annotations

from dataclasses import dataclass

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Cell = str | int | float | None


@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """One step of a funnel: how many are left, how many were lost here, and the first of them."""

    name: str
    left: int
    lost: int
    qids: tuple[str, ...]
    says: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Finding:
    """A reading of the numbers: the pattern seen, what it means, and the rows that prove it.

    `title` is the pattern in plain words, `rows` how many rows prove it; `qids` are the first.
    """

    pattern: str
    reading: str
    qids: tuple[str, ...]
    title: str = ""
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """What one of two runs did with a question: one of its rows, a wrong one where there is one,
    and how many of all its rows are right."""

    claim: str | None = None
    citations: tuple[str, ...] = ()
    retrieved_ids: tuple[str, ...] = ()
    right_rows: int = 0
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk that was retrieved, cited or wanted, with its text where that is at hand."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Offender:
    """A row that cost a metric something, with what a person needs to see why.

    `gold_answer`, `nuggets` and `must_not` are in words, and `why` says what of them was expected
    and what was found; `accepted_by` is the rule that took the answer for gold's. `found_at` and
    `forbidden_at` are where in the claim: begin and end, in characters. `unsupported` are parts of
    the claim that the texts do not hold, in words.
    `problems` say what each of `failed_checks` means for the row: "answered, but the question has
    no answer". `chunks` are those that it is about, and `before` is the baseline's answer; only a
    page shows these.
    """

    qid: str
    costs: tuple[str, ...]
    failed_checks: tuple[str, ...]
    answerable: bool | None = None
    question: str | None = None
    claim: str | None = None
    gold_claim_substr: tuple[str, ...] = ()
    gold_citations: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    retrieved_ids: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    constraints_echo: tuple[str, ...] = ()
    gold_answer: tuple[str, ...] = ()
    nuggets: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    why: str = ""
    accepted_by: str = ""
    found_at: tuple[tuple[int, int], ...] = ()
    forbidden_at: tuple[tuple[int, int], ...] = ()
    unsupported: tuple[str, ...] = ()
    unsupported_at: tuple[tuple[int, int], ...] = ()
    problems: tuple[str, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    before: Answered | None = None

    @property
    def has_answer(self) -> bool:
        """Whether there was an answer to judge at all; a ranking has none."""
        return self.claim is not None or self.answerable is not None


@dataclass(frozen=True, slots=True)
class QuestionPair:
    """One question in two runs; a run that does not have it is None.

    `lost_at` is the check at which the wrong answer of the two was lost. A `protected` question is
    one that may never break.
    """

    qid: str
    question: str | None = None
    before: Answered | None = None
    after: Answered | None = None
    gold_claim_substr: tuple[str, ...] = ()
    gold_citations: tuple[str, ...] = ()
    lost_at: str | None = None
    protected: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows and columns; a cell that is a float is shown with 4 places.

    `texts` names the columns that hold texts of the user's data, which a private report leaves out.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    says: str = ""
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Funnel:
    """What is left of a set after each check."""

    title: str
    total: int
    steps: tuple[Step, ...]
    says: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """The likely layer, by rule."""

    title: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Offenders:
    """The rows that cost most, first; `total` counts them all."""

    title: str
    rows: tuple[Offender, ...]
    total: int
    says: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class QuestionPairs:
    """Questions that two runs do not agree about, the worst first; `total` counts them all.

    `names` are what the runs are called. Those that broke are `regressions`, which a log warns of.
    """

    title: str
    rows: tuple[QuestionPair, ...]
    total: int
    names: tuple[str, str]
    says: str = ""
    regressions: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A drawing: self-contained SVG, and the words that stand for it where nothing is drawn.

    Where these would be a list of numbers, the terminal shows the `table` instead.
    """

    title: str
    svg: str
    alt: str
    says: str = ""
    table: Table | None = None


Block = Table | Funnel | Reading | Offenders | QuestionPairs | Picture
