"""The gold set: the questions with their expected evidence, one JSON object a line."""

from __future__ import annotations

from ragstone.contracts.records import named

GOLD = named("gold")
