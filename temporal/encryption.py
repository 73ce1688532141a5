"""Encryption of Temporal's payloads by keys that the server never has."""

import hmac
from collections.abc import Mapping, Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

from contracts.errors import EngineUnavailable
from contracts.notices import Notice

ENCRYPTED = b"binary/encrypted"
KEY_ID, VOUCHER = "encryption-key-id", "encryption-key-voucher"
"""Metadata of an encrypted payload: the id of its key, and a MAC of that id by the previous key, which proves that the key exists."""
NONCE_BYTES, VOUCHER_BYTES = 12, 16
UNREADABLE = b"unreadable"
"""Encoding of the placeholder for a payload that cannot be decrypted; no converter decodes it."""


class PayloadKey:
    """A key and its id; three keys are derived from it, one for each use."""

    def __init__(self, key_id: str, secret: bytes) -> None:
        self.id = key_id.encode()
        self._cipher = AESGCMSIV(_derive(secret, "encryption"))
        self._nonces, self._vouchers = _derive(secret, "nonces"), _derive(secret, "vouchers")

    def encrypt(self, plaintext: bytes) -> bytes:
        """Return nonce and ciphertext; the same plaintext gives the same, so blobs stay content-addressed."""
        nonce = hmac.digest(self._nonces, plaintext, "sha256")[:NONCE_BYTES]
        return nonce + self._cipher.encrypt(nonce, plaintext, self.id)

    def decrypt(self, data: bytes) -> bytes:
        """Return the plaintext.

        Raises:
            InvalidTag, ValueError: the data was not encrypted by this key under its id.
        """
        return self._cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], self.id)

    def vouch_for(self, key_id: bytes) -> bytes:
        """Return the proof that who has this key also had a key with that id."""
        return hmac.digest(self._vouchers, key_id, "sha256")[:VOUCHER_BYTES]


class EncryptionCodec(PayloadCodec):
    """Encrypts payloads with the newest key, and decrypts payloads of all keys.

    A payload that fails authentication is replaced by a marker, and only its reader raises an error. The SDK decodes
    an activation as a whole: raising here would let a forged signal fail every later workflow task of the run.
    """

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """Take the keys by id, the newest first."""
        self._keys = [PayloadKey(key_id, secret) for key_id, secret in keys.items()]
        self._by_id = {key.id: key for key in self._keys}
        newest, *older = self._keys
        self._metadata = {"encoding": ENCRYPTED, KEY_ID: newest.id}
        if older:
            self._metadata[VOUCHER] = older[0].vouch_for(newest.id)

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Return payloads encrypted."""
        return [self._encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt payloads; those that are not encrypted are returned unchanged.

        Raises:
            EngineUnavailable: Another of our processes has a key that is missing here; Temporal retries
                the task.
        """
        return [self._decrypt(payload) for payload in payloads]

    def _encrypt(self, payload: Payload) -> Payload:
        plaintext = payload.SerializeToString(deterministic=True)
        return Payload(metadata=self._metadata, data=self._keys[0].encrypt(plaintext))

    def _decrypt(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != ENCRYPTED:
            return payload
        key_id = payload.metadata.get(KEY_ID, b"")
        key = self._by_id.get(key_id)
        if key is None:
            if self._is_vouched_for(key_id, payload.metadata.get(VOUCHER, b"")):
                missing = Notice.of("payload-key-missing", key=key_id.decode(errors="replace"))
                raise EngineUnavailable(missing)
            return Payload(metadata={"encoding": UNREADABLE})
        try:
            return Payload.FromString(key.decrypt(payload.data))
        except (InvalidTag, ValueError, DecodeError):
            return Payload(metadata={"encoding": UNREADABLE})

    def _is_vouched_for(self, key_id: bytes, voucher: bytes) -> bool:
        """Return whether a key of ours was in use together with an unknown one: anybody can make up an id."""
        return any(hmac.compare_digest(key.vouch_for(key_id), voucher) for key in self._keys)


def _derive(secret: bytes, use: str) -> bytes:
    return hmac.digest(secret, f"greenlight payloads: {use}".encode(), "sha256")
