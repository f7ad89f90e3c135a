"""Embedders with a model behind them: each needs its extra, and none fetches anything unasked."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ragstone.embedders.embed import Vector
from ragstone.errors import ConfigError
from ragstone.extras import install_line


def _package(name: str) -> Any:
    """The package behind an embedder, which the core does without."""
    try:
        return import_module(name.replace("-", "_"))
    except ImportError:
        says = f"the embedder {name} needs a package that is not installed: {install_line(name)}"
        raise ConfigError(says) from None


class WordLlama:
    """The word vectors that the `wordllama` package carries inside its wheel."""

    def __init__(self, argument: str = "", allow_download: bool = False) -> None:
        wordllama = _package("wordllama")
        if argument:
            raise ConfigError(f"the embedder wordllama takes no argument, found {argument!r}")
        self.identity = f"wordllama/{wordllama.__version__}"
        folder = str(Path(wordllama.__file__).parent)
        # Its plain load() goes to a hub; this uses what the wheel carries.
        self._model = wordllama.WordLlama.load(
            cache_dir=folder, disable_download=not allow_download
        )

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [[float(x) for x in row] for row in self._model.embed(list(texts))]


class SentenceTransformers:
    """A sentence-transformers model from a local folder; a hub only if a download was allowed."""

    def __init__(self, argument: str = "", allow_download: bool = False) -> None:
        if not argument:
            raise ConfigError(
                "the embedder sentence-transformers needs a model: sentence-transformers:FOLDER"
            )
        if not allow_download and not Path(argument).is_dir():
            raise ConfigError(
                f"{argument} is not a folder with a model; --allow-download would fetch it by name"
            )
        sentence_transformers = _package("sentence-transformers")
        version = sentence_transformers.__version__
        self.identity = f"sentence-transformers:{Path(argument).name}/{version}"
        self._model = sentence_transformers.SentenceTransformer(
            argument, device="cpu", local_files_only=not allow_download
        )

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        # One text at a time: a batch is padded to its longest text, and padding moves the bits.
        return [[float(x) for x in self._model.encode(text)] for text in texts]
