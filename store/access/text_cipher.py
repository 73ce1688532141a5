"""Encryption of texts that the database keeps and nobody may read there: addresses and secrets of channels."""

import hmac
import os
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PREFIX = "sealed:"
NONCE_BYTES = 12


class KeyLost(Exception):
    """None of the keys decrypts a text, or the text is another row's."""


class TextCipher:
    """Encrypts by the first of several secrets and decrypts by all; without any, texts stay as they are."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        keys = [hmac.digest(s.encode(), b"greenlight: texts at rest", "sha256") for s in secrets]
        self._ciphers = {_name(key): AESGCM(key) for key in keys}
        self._newest = next(iter(self._ciphers), "")

    @property
    def prefix(self) -> str:
        """How each text begins that the newest key encrypts; empty without keys."""
        return f"{PREFIX}{self._newest}:" if self._newest else ""

    def encrypt(self, text: str, row: str) -> str:
        """Return a text encrypted for one row; no other row's is decrypted by it."""
        if not (text and self._newest):
            return text
        nonce = os.urandom(NONCE_BYTES)
        data = self._ciphers[self._newest].encrypt(nonce, text.encode(), row.encode())
        return self.prefix + b64encode(nonce + data).decode()

    def decrypt(self, text: str, row: str) -> str:
        """Return the text; one that was never encrypted as it is.

        Raises:
            KeyLost: The key that encrypted it is not among ours, or it is another row's.
        """
        if not text.startswith(PREFIX):
            return text
        name, _, data = text.removeprefix(PREFIX).partition(":")
        try:
            sealed = b64decode(data, validate=True)
            nonce, rest = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
            return self._ciphers[name].decrypt(nonce, rest, row.encode()).decode()
        except (KeyError, InvalidTag, ValueError, Base64Error) as error:
            raise KeyLost from error


def _name(key: bytes) -> str:
    """Return the name of a key: a digest from which the key cannot be found."""
    return hmac.digest(key, b"name", "sha256")[:4].hex()
