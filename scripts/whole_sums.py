"""A rule for mypy: `sum` adds whole numbers only.

From Python 3.12 on `sum` of floats has other last digits than before, so that one digest would
stand for two reports. `math.fsum` rounds once, on every Python and in any order. Of a `sum` that
this rule refuses, mypy says that it expects an "Iterable[bool]": the next overload it tries.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.plugin import FunctionContext, Plugin
from mypy.types import Instance, LiteralType, Type, UnionType, get_proper_type

EXACT = ("builtins.int", "builtins.bool", "fractions.Fraction")


class WholeSums(Plugin):
    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return _check if fullname == "builtins.sum" else None


def _check(context: FunctionContext) -> Type:
    found = context.default_return_type
    if not _is_exact(found):
        context.api.fail("sum() is for whole numbers; add floats with math.fsum", context.context)
    return found


def _is_exact(found: Type) -> bool:
    proper = get_proper_type(found)
    if isinstance(proper, UnionType):
        return all(_is_exact(item) for item in proper.items)
    if isinstance(proper, LiteralType):
        proper = proper.fallback
    return isinstance(proper, Instance) and proper.type.fullname in EXACT


def plugin(version: str) -> type[Plugin]:
    """Where mypy looks for the rule."""
    return WholeSums
