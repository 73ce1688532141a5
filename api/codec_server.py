"""Codec server: decrypts Temporal's payloads for its UI and CLI, on a separate port."""

import asyncio
import logging
import os
import sys
from typing import Annotated
from urllib.parse import urlsplit

import uvicorn
from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.middleware.cors import CORSMiddleware
from google.protobuf import json_format
from temporalio.api.common.v1 import Payload, Payloads

from api import errors
from api.access.auth import KEY
from api.access.oidc import TokenVerifier
from api.app import GatewayServer
from api.body_limits import bound_body
from api.errors import Unauthenticated
from api.head_and_connection_limits import bound_protocol
from api.json_bodies import PublicJSONResponse
from contracts.access.principal import Principal
from contracts.base import Json
from contracts.errors import InvalidInput, NotAllowed
from contracts.notices import Notice
from settings import Settings
from store.access.access_keys import MARK, KeyRepository
from store.blobs import BlobStore
from store.postgres.pool import Pool
from temporal.payloads import SafeConverter, data_converter
from temporal.telemetry.logs import configure_logs

MAX_BODY_BYTES = 32_000_000
"""Enough for a page of a history; each of its payloads may have 2 MB."""
BODY_SECONDS = 30
logger = logging.getLogger("greenlight.codec")


class CodecServer:
    """Answers with the payloads that it is sent, decrypted or encrypted, for keys of the scope `payloads`."""

    def __init__(
        self, converter: SafeConverter, keys: KeyRepository, tokens: TokenVerifier | None
    ) -> None:
        self._converter = converter
        self._keys = keys
        self._tokens = tokens

    async def decode(
        self,
        request: Request,
        preserve: Annotated[bool, Query(alias="preserveStorageRefs")] = False,
    ) -> PublicJSONResponse:
        """Decrypt payloads; those stored as blobs are loaded unless their references should be preserved."""
        caller, payloads = await self._authorize(request), await _read_payloads(request)
        decoded = await self._converter.decode_payloads(payloads, reads_blobs=not preserve)
        logger.info("decoded %d payloads for %s, %s", len(payloads), caller.user_id, caller.key_id)
        return _respond(decoded)

    async def encode(self, request: Request) -> PublicJSONResponse:
        """Encrypt payloads if keys are configured; large ones are not stored as blobs, as they belong to no run yet."""
        caller, payloads = await self._authorize(request), await _read_payloads(request)
        logger.info("encoded %d payloads for %s, %s", len(payloads), caller.user_id, caller.key_id)
        return _respond(await self._converter.encode_payloads(payloads))

    async def _authorize(self, request: Request) -> Principal:
        credentials = await KEY(request)
        token = credentials.credentials if credentials else None
        if self._tokens and token and not token.startswith(MARK):
            caller = await self._tokens.authenticate(token)
        else:
            key, _ = await self._keys.authenticate(token)
            if key is None:
                raise Unauthenticated(Notice.of("key-unknown" if token else "key-needed"))
            caller = key.principal
        if caller.scope != "payloads":
            raise NotAllowed(Notice.of("key-opens-no-payloads"))
        return caller


def create_codec_app(
    converter: SafeConverter, keys: KeyRepository, ui: str, tokens: TokenVerifier | None = None
) -> FastAPI:
    """Create the app, which pages of Temporal's UI may call; `ui` is an address in it."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    errors.install_handlers(app)
    server, router = CodecServer(converter, keys, tokens), APIRouter()
    for path, endpoint in (("/decode", server.decode), ("/encode", server.encode)):
        router.add_api_route(path, endpoint, methods=["POST"])
        router.add_api_route(f"/{{namespace}}{path}", endpoint, methods=["POST"])
    app.include_router(router)
    at = urlsplit(ui)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=[f"{at.scheme}://{at.netloc}"] if ui else [],
        allow_methods=["POST"],
        allow_headers=["authorization", "content-type", "x-namespace"],
        allow_credentials=True,
    )
    return app


async def _read_payloads(request: Request) -> list[Payload]:
    """Parse a request's payloads.

    Raises:
        BodyTooLarge, BodyTooSlow: It exceeds a limit.
        InvalidInput: It is not the JSON form of Temporal's message `Payloads`.
    """
    bounded = bound_body(request.receive, MAX_BODY_BYTES, BODY_SECONDS)
    body = await Request(request.scope, bounded).body()
    try:
        read = await asyncio.to_thread(json_format.Parse, body or b"{}", Payloads())
    except (json_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(Notice.of("payloads-malformed", reason=str(error)[:200])) from None
    return list(read.payloads)


def _respond(payloads: list[Payload]) -> PublicJSONResponse:
    told: Json = json_format.MessageToDict(Payloads(payloads=payloads))
    return PublicJSONResponse(told)


async def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    converter = data_converter(BlobStore(settings.blob_url), settings.payload_keys())
    async with Pool(settings.database_url, max_size=2) as pool:
        keys, tokens = KeyRepository(pool), TokenVerifier.of(settings.oidc())
        app = create_codec_app(converter, keys, settings.greenlight_temporal_ui, tokens)
        config = uvicorn.Config(
            app,
            host=settings.greenlight_codec_host,
            port=settings.greenlight_codec_port,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=5,
            http=bound_protocol(settings.greenlight_connections_per_address),
        )
        await GatewayServer(config).serve()


def main() -> None:
    """Run the codec server's process."""
    settings = Settings()
    configure_logs(settings.greenlight_log)
    asyncio.run(serve(settings))
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
