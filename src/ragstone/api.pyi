# Written by scripts/api_stub.py from the declarations of the suites: change those.
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ragstone.contracts.sources import Input
from ragstone.report.model import Report
from ragstone.suites.declaration import AnySuite
from ragstone.suites.gate_plan import Planned
from ragstone.suites.options import Options
from ragstone.targets.session import Summary

def answers(
    gold: Input,
    trace: Input | Mapping[str, Input],
    texts: Input | None = ...,
    judged: Input | None = ...,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    from_: str | None = ...,
    gold_from: str | None = ...,
    formats: Mapping[str, Mapping[str, Any]] | None = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    judges: Mapping[str, Mapping[str, Any]] | None = ...,
    scope: bool = ...,
    refusal: str | Sequence[str] = ...,
    decimal: Literal[".", ","] = ...,
    cite_pattern: str | None = ...,
    cite_base: int = ...,
    rules: Sequence[tuple[str, str]] = ...,
    k: int = ...,
    missing: Literal["fail", "answered"] = ...,
    keep: Literal["last", "first", "error", "all"] = ...,
    scu: bool = ...,
    explain_refusals: bool = ...,
    judge: str | None = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with answers.

    gold: the gold set (JSONL, .gz, .zst, Parquet, -)
    trace: traces: files, globs, or -
    texts: texts of chunks, to look up what answers say: {id, text} a line
    judged: scores that another tool's judge gave: {qid, name, score or label} a line
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    from_: the traces are another tool's, of this format
    gold_from: the gold set is another tool's, of this format
    formats: formats of your own, by name
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: another system (the first), or an earlier run: its rows (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    judges: the judges whose scores a gate may decide on: model, prompt and calibration of each
    scope: judge citations without asking whether they were retrieved
    refusal: what counts as a refusal: tokens, re:PATTERN, or a language pack such as @en
    decimal: the decimal mark of numbers in claims and gold; a typed answer may name its own
    cite_pattern: read citations from the text: the group of this pattern holds positions in retrieved_ids, or ids
    cite_base: the position of the first retrieved id, 0 or 1
    rules: pairs of patterns: a locked constraint, and what contradicts it
    k: how many retrieved ids count
    missing: how a question that was not answered counts
    keep: which trace of a question is scored if it has several
    scu: a broken constraint makes an answer wrong
    explain_refusals: list the refused claims, each with the rule that fired
    judge: decide on this system alone
    """

def retrieval(
    gold: Input,
    log: Input | Mapping[str, Input],
    manifest: Input | None = ...,
    texts: Input | None = ...,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    keep: Literal["all"] = ...,
    unit: Literal["bytes", "codepoints", "utf16"] = ...,
    embedder: str = ...,
    allow_download: bool = ...,
    delta_s_line: float | None = ...,
    delta_s_line_for: str | None = ...,
    index_only: bool = ...,
    section_pattern: str | None = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with retrieval.

    gold: the retrieval gold set
    log: logs: files, globs, or -
    manifest: the chunk manifest: sections, offsets, types, texts
    texts: texts of chunks: {id, text} a line
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: the rows of an earlier run (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    keep: count every line, also where several files answer the same question
    unit: what offsets count; others are converted with the texts
    embedder: what computes ΔS where the log has none
    allow_download: let the embedder fetch its model
    delta_s_line: the calibrated ΔS line, as `ragstone retrieval calibrate` writes it
    delta_s_line_for: the embedder that the line was learned with, the only one it holds for
    index_only: the logs hold no answers: do not gate coverage and citation accuracy
    section_pattern: reads the section from ids of another shape: RE2, one group
    """

def canary(
    gold: Input,
    live: Input | Mapping[str, Input],
    shadow: Input | Mapping[str, Input],
    manifest: Input | None = ...,
    texts: Input | None = ...,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    keep: Literal["all"] = ...,
    unit: Literal["bytes", "codepoints", "utf16"] = ...,
    embedder: str = ...,
    allow_download: bool = ...,
    delta_s_line: float | None = ...,
    delta_s_line_for: str | None = ...,
    index_only: bool = ...,
    section_pattern: str | None = ...,
    allow_mismatch: bool = ...,
    max_drop: str | Sequence[str] = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with canary.

    gold: the retrieval gold set
    live: the log of the index in use
    shadow: the log of the index that may replace it
    manifest: the chunk manifest: sections, offsets, types, texts
    texts: texts of chunks: {id, text} a line
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: the rows of an earlier run (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    keep: count every line, also where several files answer the same question
    unit: what offsets count; others are converted with the texts
    embedder: what computes ΔS where the log has none
    allow_download: let the embedder fetch its model
    delta_s_line: the calibrated ΔS line, as `ragstone retrieval calibrate` writes it
    delta_s_line_for: the embedder that the line was learned with, the only one it holds for
    index_only: the logs hold no answers: do not gate coverage and citation accuracy
    section_pattern: reads the section from ids of another shape: RE2, one group
    allow_mismatch: compare logs of different normalisers or rerankers
    max_drop: how far a recall may fall below that of the live index (R@5=0.02)
    """

def context(
    results: Input | Mapping[str, Input],
    reference: Input,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    grade: int = ...,
    no_repeats: bool = ...,
    k: int = ...,
    id_pattern: str = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with context.

    results: what each system retrieved: TSV, CSV, JSON, JSONL, Parquet, a LiveRAG answer file or a TREC run; several files are several systems
    reference: the gold documents: TSV, CSV, JSON, JSONL, Parquet, TREC or BEIR qrels
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: another system (the first), or an earlier run: its rows (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    grade: documents of this grade or above are relevant
    no_repeats: a document that a system names twice for a question is an error
    k: the cut of the @k metrics
    id_pattern: the part of an id that names the document
    """

def trec(
    qrels: Input,
    runs: Input | Mapping[str, Input],
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    grade: int = ...,
    no_repeats: bool = ...,
    metrics: str | Sequence[str] = ...,
    only_judged: bool = ...,
    over: Literal["relevant", "both", "judged"] = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with trec.

    qrels: judgments: TREC or BEIR qrels
    runs: one TREC run or more
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: another system (the first), or an earlier run: its rows (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    grade: documents of this grade or above are relevant
    no_repeats: a document that a system names twice for a question is an error
    metrics: ndcg@10 map mrr P@5 R@10 success@5 bpref rprec ndcg@10_exp; trec_eval's names too
    only_judged: with -l: leave out questions without a document of that grade, and say so
    over: which questions the averages are over
    """

def latency(
    gold: Input,
    samples: Input,
    baseline: Input | None = ...,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    gold_from: str | None = ...,
    formats: Mapping[str, Mapping[str, Any]] | None = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    keep: Literal["all"] = ...,
    scope: bool = ...,
    refusal: str | Sequence[str] = ...,
    decimal: Literal[".", ","] = ...,
    cite_pattern: str | None = ...,
    cite_base: int = ...,
    rules: Sequence[tuple[str, str]] = ...,
    only: str | None = ...,
    accuracy_gates: Mapping[str, str | float] | None = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with latency.

    gold: the gold set
    samples: the samples: files, globs, or -
    baseline: what to compare with: samples, or an earlier run: its rows (.parquet) or its report (.json)
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    gold_from: the gold set is another tool's, of this format
    formats: formats of your own, by name
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    keep: count every line, also where several files answer the same question
    scope: judge citations without asking whether they were retrieved
    refusal: what counts as a refusal: tokens, re:PATTERN, or a language pack such as @en
    decimal: the decimal mark of numbers in claims and gold; a typed answer may name its own
    cite_pattern: read citations from the text: the group of this pattern holds positions in retrieved_ids, or ids
    cite_base: the position of the first retrieved id, 0 or 1
    rules: pairs of patterns: a locked constraint, and what contradicts it
    only: judge this configuration alone
    accuracy_gates: changes of the accuracy that a pick must have
    """

def agreement(
    pairs: Input | None = ...,
    scholar: Input | None = ...,
    auditor: Input | None = ...,
    raters: Sequence[Input] | Mapping[str, Input] | None = ...,
    gold: Input | None = ...,
    trace: Input | None = ...,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    from_: str | None = ...,
    gold_from: str | None = ...,
    formats: Mapping[str, Mapping[str, Any]] | None = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    scope: bool = ...,
    refusal: str | Sequence[str] = ...,
    decimal: Literal[".", ","] = ...,
    cite_pattern: str | None = ...,
    cite_base: int = ...,
    rules: Sequence[tuple[str, str]] = ...,
    missing: Literal["fail", "answered"] = ...,
    keep: Literal["last", "first", "error", "all"] = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with agreement.

    pairs: both labels of each item on one line
    scholar: the first validator's labels
    auditor: the second validator's labels
    raters: any number of validators
    gold: with --trace: derive both labels
    trace: traces to derive labels from
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    from_: the traces are another tool's, of this format
    gold_from: the gold set is another tool's, of this format
    formats: formats of your own, by name
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: the rows of an earlier run (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    scope: judge citations without asking whether they were retrieved
    refusal: what counts as a refusal: tokens, re:PATTERN, or a language pack such as @en
    decimal: the decimal mark of numbers in claims and gold; a typed answer may name its own
    cite_pattern: read citations from the text: the group of this pattern holds positions in retrieved_ids, or ids
    cite_base: the position of the first retrieved id, 0 or 1
    rules: pairs of patterns: a locked constraint, and what contradicts it
    missing: how a question that was not answered counts
    keep: which trace of a question is scored if it has several
    """

def people(
    gold: Input,
    trace: Input | Mapping[str, Input],
    labels: Input,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    from_: str | None = ...,
    gold_from: str | None = ...,
    formats: Mapping[str, Mapping[str, Any]] | None = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    scope: bool = ...,
    refusal: str | Sequence[str] = ...,
    decimal: Literal[".", ","] = ...,
    cite_pattern: str | None = ...,
    cite_base: int = ...,
    rules: Sequence[tuple[str, str]] = ...,
    missing: Literal["fail", "answered"] = ...,
    keep: Literal["last", "first", "error", "all"] = ...,
    label_map: Mapping[str, str] | None = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with people.

    gold: the gold set (JSONL, .gz, .zst, Parquet, -)
    trace: traces: files, globs, or -
    labels: what people said of the answers: qid, label, and system where there are several
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    from_: the traces are another tool's, of this format
    gold_from: the gold set is another tool's, of this format
    formats: formats of your own, by name
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: the rows of an earlier run (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    scope: judge citations without asking whether they were retrieved
    refusal: what counts as a refusal: tokens, re:PATTERN, or a language pack such as @en
    decimal: the decimal mark of numbers in claims and gold; a typed answer may name its own
    cite_pattern: read citations from the text: the group of this pattern holds positions in retrieved_ids, or ids
    cite_base: the position of the first retrieved id, 0 or 1
    rules: pairs of patterns: a locked constraint, and what contradicts it
    missing: how a question that was not answered counts
    keep: which trace of a question is scored if it has several
    label_map: what a label means: correct, incorrect or refusal
    """

def stability(
    gold: Input,
    runs: Input | Mapping[str, Input],
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    from_: str | None = ...,
    gold_from: str | None = ...,
    formats: Mapping[str, Mapping[str, Any]] | None = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    keep: Literal["all"] = ...,
    scope: bool = ...,
    refusal: str | Sequence[str] = ...,
    decimal: Literal[".", ","] = ...,
    cite_pattern: str | None = ...,
    cite_base: int = ...,
    rules: Sequence[tuple[str, str]] = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with stability.

    gold: the gold set (JSONL, .gz, .zst, Parquet, -)
    runs: the runs: files, globs, or -
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    from_: the traces are another tool's, of this format
    gold_from: the gold set is another tool's, of this format
    formats: formats of your own, by name
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: the rows of an earlier run (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    keep: count every line, also where several files answer the same question
    scope: judge citations without asking whether they were retrieved
    refusal: what counts as a refusal: tokens, re:PATTERN, or a language pack such as @en
    decimal: the decimal mark of numbers in claims and gold; a typed answer may name its own
    cite_pattern: read citations from the text: the group of this pattern holds positions in retrieved_ids, or ids
    cite_base: the position of the first retrieved id, 0 or 1
    rules: pairs of patterns: a locked constraint, and what contradicts it
    """

def audit(
    trace: Input | Mapping[str, Input],
    texts: Input | None = ...,
    manifest: Input | None = ...,
    judged: Input | None = ...,
    *,
    map: Mapping[str, str] | None = ...,
    ids: Literal["text", "hash"] = ...,
    allow_key: str | Sequence[str] = ...,
    from_: str | None = ...,
    formats: Mapping[str, Mapping[str, Any]] | None = ...,
    gates: Mapping[str, str | float] | None = ...,
    slices: Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]] = ...,
    strict: bool = ...,
    confidence: float | None = ...,
    unfrozen: bool = ...,
    baseline: str | None = ...,
    max_regression: Mapping[str, str | float] | None = ...,
    margin: float = ...,
    protect: str | Sequence[str] = ...,
    labels_share: float = ...,
    waive: Sequence[Mapping[str, Any]] | None = ...,
    as_of: str | None = ...,
    by: str | Sequence[str] = ...,
    all: bool = ...,
    report_texts: Literal["all", "clip", "none"] = ...,
    record: bool = ...,
    label: str | Sequence[str] = ...,
    ledger: str = ...,
    ledger_texts: Literal["all", "clip", "none"] = ...,
    memory: str | None = ...,
    temp: str | None = ...,
    engine: Any = ...,
    master: str | None = ...,
    spark_conf: str | Sequence[str] = ...,
    keep: Literal["all"] = ...,
    judges: Mapping[str, Mapping[str, Any]] | None = ...,
    scope: bool = ...,
    refusal: str | Sequence[str] = ...,
    decimal: Literal[".", ","] = ...,
    cite_pattern: str | None = ...,
    cite_base: int = ...,
    rules: Sequence[tuple[str, str]] = ...,
    sample_rate: float = ...,
    threads: int | None = ...,
) -> Report:
    """Judges with audit.

    trace: traces: files, globs, or -
    texts: texts of chunks, to look up what answers say: {id, text} a line
    manifest: a chunk manifest with texts, such as manifest.jsonl of an index
    judged: scores that another tool's judge gave: {qid, name, score or label} a line
    map: read a field from another place, as in claim=answer.text or gold.qid=id
    ids: text: ids may be whole numbers; hash: ids are whole texts, each read as its hash
    allow_key: take this key of a line as it is, though it is nearly a field
    from_: the traces are another tool's, of this format
    formats: formats of your own, by name
    gates: thresholds in place of the file's and the default ones; NAME=off drops one
    slices: gates for a part of the questions
    strict: no gate may have nothing to test
    confidence: a gate must be proven at this level to pass, as in 0.95
    unfrozen: score gold that changed since it was frozen; its numbers decide nothing
    baseline: what to compare with: the rows of an earlier run (.parquet), its report (.json), its own inputs, or its accepted name
    max_regression: how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%
    margin: how much worse is no worse, where a comparison has no gate
    protect: questions that may never break: qids, or @FILE with one on each line
    labels_share: compare nothing if this share of gold's ids no longer occurs in what was retrieved
    waive: known failures that no gate counts until a day, each with qid, until and why
    as_of: the day on which waivers are judged, as in 2027-01-31 (today, in UTC)
    by: also show numbers by tags, or by any field of the gold items
    all: list every row, not just the first 10
    report_texts: show questions and answers whole, clipped to 80 characters, or not at all
    record: keep the run in the ledger: its report, its rows, and what it was made from
    label: what to call a recording or a page, as in model=v2 or commit=1a2b3c4
    ledger: the folder or URL of the ledger
    ledger_texts: how much of questions and answers a recorded run holds
    memory: the most memory to use, as in 2GB; a large input is then scored in parts
    temp: the folder for what does not fit into memory
    engine: what reads and scores: this machine, or Spark
    master: the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])
    spark_conf: settings of Spark, as in spark.sql.shuffle.partitions=400
    keep: count every line, also where several files answer the same question
    judges: the judges whose scores a gate may decide on: model, prompt and calibration of each
    scope: judge citations without asking whether they were retrieved
    refusal: what counts as a refusal: tokens, re:PATTERN, or language packs (all of them)
    decimal: the decimal mark of numbers in claims and gold; a typed answer may name its own
    cite_pattern: read citations from the text: the group of this pattern holds positions in retrieved_ids, or ids
    cite_base: the position of the first retrieved id, 0 or 1
    rules: pairs of patterns: a locked constraint, and what contradicts it
    sample_rate: the share of all traffic that was logged; counts are scaled by it
    """

def call(suite: AnySuite) -> Callable[..., Report]: ...
def judged(
    suite: AnySuite,
    inputs: Mapping[str, Any],
    options: Options,
    threads: int | None = ...,
    *,
    part: bool = ...,
    session: Any = ...,
) -> Report: ...
def options_given(suite: AnySuite, given: Mapping[str, Any]) -> Options: ...
def planned(config: str | Path, options: Mapping[str, Any]) -> list[Planned]: ...
def gate(
    config: str | Path = ...,
    *,
    fail_fast: bool = ...,
    threads: int | None = ...,
    **options: Any,
) -> Report: ...
def compare(
    a: Report | Input,
    b: Report | Input,
    *,
    suite: str = ...,
    threads: int | None = ...,
    **given: Any,
) -> Report: ...
def run(
    target: str, gold: str | Path, output: str | Path | None = ..., **more: Any
) -> Summary: ...

score = answers
