"""The gateway's paths, a module per noun."""

from api.routers import definitions, events, health, messages, phases, results, runs, startups

ALL = [m.router for m in (phases, definitions, runs, messages, events, results, startups, health)]
