"""The same scoring on many machines: Spark reads and shuffles, the engine of one machine scores.

Lines become typed rows (`per_line`), rows of a question meet by a shuffle, every partition is
scored by a private DuckDB into what is kept of a part (`per_question`), and the driver puts the
parts together (`driver`), as it would those of one machine (`suites/in_parts.py`).
"""
