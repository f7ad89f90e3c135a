"""The next index beside the live one: live questions are asked a second time, and compared.

from ragstone.shadow import Mirror

app = Mirror(app, target="index:next.index")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragstone.shadow.mirror_app import Mirror

__all__ = ["Mirror"]


def __getattr__(name: str) -> object:
    if name == "Mirror":
        from ragstone.shadow.mirror_app import Mirror

        return Mirror
    raise AttributeError(f"module 'ragstone.shadow' has no attribute {name!r}")
