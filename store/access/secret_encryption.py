"""Encryption of the addresses and secrets of alert channels, stored in the database."""

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
    """No configured key decrypts the text, or the text was encrypted for another row."""


class TextCipher:
    """Encrypts by the first of several secrets and decrypts by all; without any, texts stay as they are."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        keys = [hmac.digest(s.encode(), b"greenlight: texts at rest", "sha256") for s in secrets]
        self._ciphers = {_name(key): AESGCM(key) for key in keys}
        self._newest = next(iter(self._ciphers), "")

    @property
    def prefix(self) -> str:
        """The prefix of texts encrypted with the newest key; empty if no keys are configured."""
        return f"{PREFIX}{self._newest}:" if self._newest else ""

    def encrypt(self, text: str, row: str) -> str:
        """Return a text encrypted for one row; no other row's is decrypted by it."""
        if not (text and self._newest):
            return text
        nonce = os.urandom(NONCE_BYTES)
        data = self._ciphers[self._newest].encrypt(nonce, text.encode(), row.encode())
        return self.prefix + b64encode(nonce + data).decode()

    def decrypt(self, text: str, row: str) -> str:
        """Decrypt a text; return it unchanged if it was never encrypted.

        Raises:
            KeyLost: None of the configured keys decrypts it, or it was encrypted for another row.
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
