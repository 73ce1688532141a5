"""Temporal's dev server on this machine, tuned."""

SEARCH_ATTRIBUTES = {"RunStatus": "Keyword", "RunDefinition": "Keyword"}

DEV_SERVER_FLAGS = (
    # The defaults pace the server's own queues: most of a short step's time would be waiting.
    *("--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000"),
    *("--dynamic-config-value", "history.transferProcessorMaxPollHostRPS=5000"),
    *(f"--search-attribute={name}={kind}" for name, kind in SEARCH_ATTRIBUTES.items()),
)
