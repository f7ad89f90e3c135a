"""What is known of the last windows: `GET /v1/windows`, `GET /v1/alerts` and `GET /metrics`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ragstone.serve.live_store import LiveStore
from ragstone.serve.live_watch import LiveWatch
from ragstone.serve.prometheus_text import prometheus_text

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def window_routes(watch: LiveWatch, store: LiveStore) -> list[Route]:
    """Routes that read what the windows have come to, and compute nothing."""

    async def windows(request: Request) -> Response:
        return JSONResponse(watch.state)

    async def alerts(request: Request) -> Response:
        state = watch.state
        return JSONResponse(
            {
                "standing": state.get("standing", []),
                "roll_back": state.get("roll_back", False),
                "alerts": list(watch.log.last),
            }
        )

    async def metrics(request: Request) -> Response:
        counts = {
            **watch.counts(),
            "bytes_waiting": store.waiting,
            "ready": int(not store.broken),
            "windows_failing": int(bool(watch.fault)),
        }
        return PlainTextResponse(prometheus_text(watch.state, counts), media_type=_PROMETHEUS)

    return [
        Route("/v1/windows", windows),
        Route("/v1/alerts", alerts),
        Route("/metrics", metrics),
    ]
