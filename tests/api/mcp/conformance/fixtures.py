"""The fixtures that scenarios of the official conformance suite expect from a server, in addition to its own tools.

Taken from the MCP SDK's example `everything-server` (modelcontextprotocol/python-sdk at 57394b05, MIT, © 2024 Anthropic,
PBC); they stand beside our own tools on our own server, behind the guard and the routes of the gateway.
"""

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Annotated, Any

from mcp import MCPError
from mcp.server import MCPServer, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import Prompt, UserMessage
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel, Field

AnyContext = Context[Any, Any]
TEST_IMAGE_BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
TEST_AUDIO_BASE64 = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="


def test_simple_text() -> str:
    return "This is a simple text response for testing."


def test_image_content() -> list[ImageContent]:
    return [ImageContent(type="image", data=TEST_IMAGE_BASE64, mime_type="image/png")]


def test_audio_content() -> list[AudioContent]:
    return [AudioContent(type="audio", data=TEST_AUDIO_BASE64, mime_type="audio/wav")]


def test_embedded_resource() -> list[EmbeddedResource]:
    return [
        EmbeddedResource(
            type="resource",
            resource=TextResourceContents(
                uri="test://embedded-resource",
                mime_type="text/plain",
                text="This is an embedded resource content.",
            ),
        )
    ]


def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
    return [
        TextContent(type="text", text="Multiple content types test:"),
        ImageContent(type="image", data=TEST_IMAGE_BASE64, mime_type="image/png"),
        EmbeddedResource(
            type="resource",
            resource=TextResourceContents(
                uri="test://mixed-content-resource",
                mime_type="application/json",
                text='{"test": "data", "value": 123}',
            ),
        ),
    ]


async def test_tool_with_logging(ctx: AnyContext) -> str:
    await ctx.info("Tool execution started")
    await asyncio.sleep(0.05)

    await ctx.info("Tool processing data")
    await asyncio.sleep(0.05)

    await ctx.info("Tool execution completed")
    return "Tool with logging executed successfully"


async def test_tool_with_progress(ctx: AnyContext) -> str:
    for done in (0, 50, 100):
        await ctx.report_progress(progress=done, total=100, message=f"Completed step {done} of 100")
        await asyncio.sleep(0.05)
    meta = ctx.request_context.meta
    return str(meta.get("progress_token") if meta else 0)


async def test_sampling(prompt: str, ctx: AnyContext) -> str:
    result = await ctx.session.create_message(
        messages=[SamplingMessage(role="user", content=TextContent(type="text", text=prompt))],
        max_tokens=100,
        related_request_id=ctx.request_id,
    )
    told = result.content.text if result.content.type == "text" else "No response"
    return f"LLM response: {told}"


class UserResponse(BaseModel):
    response: str


async def elicit(ctx: AnyContext, message: str, form: type[BaseModel]) -> str:
    """Return what the client's user did with a form."""
    try:
        result = await ctx.elicit(message=message, schema=form)
    except ValueError as error:  # one scenario fills in another form
        return str(error)
    content = result.data.model_dump_json() if result.action == "accept" else "{}"
    return f"action={result.action}, content={content}"


async def test_elicitation(message: str, ctx: AnyContext) -> str:
    return f"User response: {await elicit(ctx, message, UserResponse)}"


class SEP1034DefaultsSchema(BaseModel):
    name: str = Field(default="John Doe", description="User name")
    age: int = Field(default=30, description="User age")
    score: float = Field(default=95.5, description="User score")
    status: str = Field(
        default="active",
        description="User status",
        json_schema_extra={"enum": ["active", "inactive", "pending"]},
    )
    verified: bool = Field(default=True, description="Verification status")


async def test_elicitation_sep1034_defaults(ctx: AnyContext) -> str:
    told = await elicit(ctx, "Please provide user information", SEP1034DefaultsSchema)
    return f"Elicitation result: {told}"


class EnumSchemasTestSchema(BaseModel):
    untitledSingle: str = Field(  # noqa: N815
        description="Simple enum without titles",
        json_schema_extra={"enum": ["active", "inactive", "pending"]},
    )
    titledSingle: str = Field(  # noqa: N815
        description="Enum with titled options (oneOf)",
        json_schema_extra={
            "oneOf": [
                {"const": "low", "title": "Low Priority"},
                {"const": "medium", "title": "Medium Priority"},
                {"const": "high", "title": "High Priority"},
            ]
        },
    )
    untitledMulti: list[str] = Field(  # noqa: N815
        description="Multi-select without titles",
        json_schema_extra={"items": {"type": "string", "enum": ["read", "write", "execute"]}},
    )
    titledMulti: list[str] = Field(  # noqa: N815
        description="Multi-select with titled options",
        json_schema_extra={
            "items": {
                "anyOf": [
                    {"const": "feature", "title": "New Feature"},
                    {"const": "bug", "title": "Bug Fix"},
                    {"const": "docs", "title": "Documentation"},
                ]
            }
        },
    )
    legacyEnum: str = Field(  # noqa: N815
        description="Legacy enum with enumNames",
        json_schema_extra={
            "enum": ["small", "medium", "large"],
            "enumNames": ["Small Size", "Medium Size", "Large Size"],
        },
    )


async def test_elicitation_sep1330_enums(ctx: AnyContext) -> str:
    told = await elicit(ctx, "Please select values of each kind of enum", EnumSchemasTestSchema)
    return f"Elicitation completed: {told}"


def test_error_handling() -> str:
    raise RuntimeError("This tool intentionally returns an error for testing")


def test_x_mcp_header(
    region: Annotated[
        str,
        Field(
            description="Mirrored into the Mcp-Param-Region header",
            json_schema_extra={"x-mcp-header": "Region"},
        ),
    ] = "<none>",  # noqa: PT028
) -> str:
    return f"region={region}"


async def test_missing_capability(ctx: AnyContext) -> str:
    capabilities = ctx.session.client_capabilities
    sampling_declared = capabilities is not None and capabilities.sampling is not None
    if not sampling_declared:
        raise MCPError(
            code=MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool requires the client 'sampling' capability",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return "Client declared sampling capability; proceeding."


# SEP-2322 InputRequiredResult fixtures (multi-round-trip / ephemeral workflow)

NAME_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def _name_elicitation(message: str = "What is your name?") -> ElicitRequest:
    return ElicitRequest(
        params=ElicitRequestFormParams(message=message, requested_schema=NAME_SCHEMA)
    )


def _sampling(text: str, max_tokens: int) -> CreateMessageRequest:
    asked = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    params = CreateMessageRequestParams(messages=[asked], max_tokens=max_tokens)
    return CreateMessageRequest(params=params)


async def test_input_required_result_elicitation(ctx: AnyContext) -> str | InputRequiredResult:
    responses = ctx.input_responses
    if responses and "user_name" in responses:
        answer = responses["user_name"]
        name = (
            answer.content.get("name", "stranger")
            if isinstance(answer, ElicitResult) and answer.content
            else "?"
        )
        return f"Hello, {name}!"
    return InputRequiredResult(input_requests={"user_name": _name_elicitation()})


async def test_input_required_result_sampling(ctx: AnyContext) -> str | InputRequiredResult:
    responses = ctx.input_responses
    if responses and "capital_question" in responses:
        answer = responses["capital_question"]
        text = (
            answer.content.text
            if isinstance(answer, CreateMessageResult) and answer.content.type == "text"
            else "?"
        )
        return f"Model said: {text}"
    return InputRequiredResult(
        input_requests={"capital_question": _sampling("What is the capital of France?", 100)}
    )


async def test_input_required_result_list_roots(ctx: AnyContext) -> str | InputRequiredResult:
    responses = ctx.input_responses
    if responses and "client_roots" in responses:
        answer = responses["client_roots"]
        count = len(answer.roots) if isinstance(answer, ListRootsResult) else 0
        return f"Client exposed {count} root(s)."
    return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})


async def test_input_required_result_request_state(ctx: AnyContext) -> str | InputRequiredResult:
    responses = ctx.input_responses
    if responses and "confirm" in responses and ctx.request_state == "request-state-nonce":
        return "state-ok: confirmation received"
    confirm = ElicitRequest(
        params=ElicitRequestFormParams(
            message="Please confirm",
            requested_schema={
                "type": "object",
                "properties": {"ok": {"type": "boolean"}},
                "required": ["ok"],
            },
        )
    )
    return InputRequiredResult(
        input_requests={"confirm": confirm}, request_state="request-state-nonce"
    )


async def test_input_required_result_multiple_inputs(ctx: AnyContext) -> str | InputRequiredResult:
    responses = ctx.input_responses
    if responses and {"user_name", "greeting", "client_roots"} <= responses.keys():
        return "All inputs received."
    return InputRequiredResult(
        input_requests={
            "user_name": _name_elicitation(),
            "greeting": _sampling("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        },
        request_state="multiple-inputs",
    )


async def test_input_required_result_multi_round(ctx: AnyContext) -> str | InputRequiredResult:
    state = json.loads(ctx.request_state) if ctx.request_state else {"round": 0}
    responses = ctx.input_responses or {}

    if state["round"] == 0:
        return InputRequiredResult(
            input_requests={"step1": _name_elicitation("Step 1: What is your name?")},
            request_state=json.dumps({"round": 1}),
        )

    if state["round"] == 1 and "step1" in responses:
        step1 = responses["step1"]
        name = (
            step1.content.get("name") if isinstance(step1, ElicitResult) and step1.content else None
        )
        color_schema = {
            "type": "object",
            "properties": {"color": {"type": "string"}},
            "required": ["color"],
        }
        return InputRequiredResult(
            input_requests={
                "step2": ElicitRequest(
                    params=ElicitRequestFormParams(
                        message="Step 2: What is your favorite color?",
                        requested_schema=color_schema,
                    )
                )
            },
            request_state=json.dumps({"round": 2, "name": name}),
        )

    if state["round"] == 2 and "step2" in responses:
        step2 = responses["step2"]
        color = (
            step2.content.get("color")
            if isinstance(step2, ElicitResult) and step2.content
            else None
        )
        return f"{state.get('name')} likes {color}."

    # Missing or out-of-order response: re-request from the start.
    return InputRequiredResult(
        input_requests={"step1": _name_elicitation("Step 1: What is your name?")},
        request_state=json.dumps({"round": 1}),
    )


async def test_input_required_result_tampered_state(ctx: AnyContext) -> str | InputRequiredResult:
    if ctx.request_state is None:
        confirm = ElicitRequest(
            params=ElicitRequestFormParams(
                message="Please confirm",
                requested_schema={
                    "type": "object",
                    "properties": {"ok": {"type": "boolean"}},
                    "required": ["ok"],
                },
            )
        )
        return InputRequiredResult(input_requests={"confirm": confirm}, request_state="round-1")
    return f"state-ok: {ctx.request_state}"


async def test_input_required_result_capabilities(ctx: AnyContext) -> InputRequiredResult:
    caps = ctx.client_capabilities
    requests: dict[str, InputRequest] = {}
    if caps is None or caps.sampling is not None:
        requests["sample"] = _sampling("Say hello", 50)
    if caps is None or caps.elicitation is not None:
        requests["ask"] = _name_elicitation()
    return InputRequiredResult(input_requests=requests, request_state="capability-gated")


# SEP-1613 / SEP-2106 JSON Schema 2020-12 fixture: a tool whose inputSchema carries
# the full set of 2020-12 keywords the conformance scenario asserts on.

JSON_SCHEMA_2020_12_INPUT_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def json_schema_2020_12_tool() -> str:
    return "json_schema_2020_12_tool"


# Resources
def static_text_resource() -> str:
    return "This is the content of the static text resource."


def static_binary_resource() -> bytes:
    return base64.b64decode(TEST_IMAGE_BASE64)


def template_resource(id: str) -> str:
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def watched_resource() -> str:
    return "Watched resource content"


# Prompts
def test_simple_prompt() -> list[UserMessage]:
    return [
        UserMessage(
            role="user",
            content=TextContent(type="text", text="This is a simple prompt for testing."),
        )
    ]


def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
    return [
        UserMessage(
            role="user",
            content=TextContent(
                type="text", text=f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
            ),
        )
    ]


def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803
    return [
        UserMessage(
            role="user",
            content=EmbeddedResource(
                type="resource",
                resource=TextResourceContents(
                    uri=resourceUri,
                    mime_type="text/plain",
                    text="Embedded resource content for testing.",
                ),
            ),
        ),
        UserMessage(
            role="user",
            content=TextContent(type="text", text="Please process the embedded resource above."),
        ),
    ]


def test_prompt_with_image() -> list[UserMessage]:
    return [
        UserMessage(
            role="user",
            content=ImageContent(type="image", data=TEST_IMAGE_BASE64, mime_type="image/png"),
        ),
        UserMessage(
            role="user", content=TextContent(type="text", text="Please analyze the image above.")
        ),
    ]


async def test_input_required_result_prompt(
    ctx: AnyContext,
) -> list[UserMessage] | InputRequiredResult:
    responses = ctx.input_responses
    if responses and "user_context" in responses:
        answer = responses["user_context"]
        text = (
            answer.content.get("context", "?")
            if isinstance(answer, ElicitResult) and answer.content
            else "?"
        )
        return [
            UserMessage(
                role="user",
                content=TextContent(type="text", text=f"Use the following context: {text}"),
            )
        ]
    return InputRequiredResult(
        input_requests={
            "user_context": ElicitRequest(
                params=ElicitRequestFormParams(
                    message="What context should the prompt use?",
                    requested_schema={
                        "type": "object",
                        "properties": {"context": {"type": "string"}},
                        "required": ["context"],
                    },
                )
            )
        }
    )


async def set_logging_level(
    ctx: ServerRequestContext[Any, Any], params: SetLevelRequestParams
) -> EmptyResult:
    return EmptyResult()


async def subscribe(
    ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams
) -> EmptyResult:
    return EmptyResult()


async def unsubscribe(
    ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
) -> EmptyResult:
    return EmptyResult()


async def complete(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion:
    # Basic completion support - returns empty array for conformance
    # Real implementations would provide contextual suggestions
    return Completion(values=[], total=0, has_more=False)


TOOLS: tuple[Callable[..., Any], ...] = (
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_tool_with_logging,
    test_tool_with_progress,
    test_sampling,
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
    test_error_handling,
    test_x_mcp_header,
    test_missing_capability,
    test_input_required_result_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_tampered_state,
    test_input_required_result_capabilities,
    json_schema_2020_12_tool,
)
PROMPTS: tuple[Callable[..., Any], ...] = (
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
    test_input_required_result_prompt,
)
RESOURCES: dict[str, Callable[..., Any]] = {
    "test://static-text": static_text_resource,
    "test://static-binary": static_binary_resource,
    "test://template/{id}/data": template_resource,
    "test://watched-resource": watched_resource,
}


def add_fixtures(server: MCPServer[Any]) -> None:
    """Add the fixtures to a server."""
    for tool in TOOLS:
        server.add_tool(tool, description=tool.__name__)
    for prompt in PROMPTS:
        server.add_prompt(Prompt.from_function(prompt, description=prompt.__name__))
    for uri, resource in RESOURCES.items():
        server.resource(uri)(resource)
    server.completion()(complete)  # type: ignore[no-untyped-call]
    # The SDK's own example reaches for these two: it has no public way to them.
    kept = server._tool_manager._tools["json_schema_2020_12_tool"]
    kept.parameters = JSON_SCHEMA_2020_12_INPUT_SCHEMA
    handle = server._lowlevel_server.add_request_handler
    handle("logging/setLevel", SetLevelRequestParams, set_logging_level)
    handle("resources/subscribe", SubscribeRequestParams, subscribe)
    handle("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)
