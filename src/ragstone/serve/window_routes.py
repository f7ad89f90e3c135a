"""What is known of the last windows: `GET /v1/windows`, `GET /v1/alerts` and `GET /metrics`.

And of the mirror: `GET /v1/shadow`.
"""

from __future__ import annotations

from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ragstone.serve.live_store import LiveStore
from ragstone.serve.live_watch import LiveWatch
from ragstone.serve.prometheus_text import prometheus_text
from ragstone.serve.senders import WrongTokens
from ragstone.serve.shadow_sidecar import Sidecar
from ragstone.shadow.pair_files import Counts
from ragstone.shadow.tally import OUTCOMES

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def window_routes(
    watch: LiveWatch, store: LiveStore, wrong: WrongTokens, sidecar: Sidecar | None = None
) -> list[Route]:
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

    async def shadow(request: Request) -> Response:
        if sidecar is None:
            return JSONResponse({})
        counts = asdict(sidecar.counts())
        return JSONResponse({"run": sidecar.run, **counts})

    async def metrics(request: Request) -> Response:
        counts = {
            **watch.counts(),
            "bytes_waiting": store.waiting,
            "ready": int(not store.broken),
            "files_set_aside": len(store.aside.files()),
            "troubles": int(bool(watch.troubles.words)),
            "wrong_tokens_total": wrong.total,
            **({} if sidecar is None else _shadow_counts(sidecar.counts())),
        }
        text = prometheus_text(watch.state, counts, watch.troubles.counts())
        return PlainTextResponse(text, media_type=_PROMETHEUS)

    return [
        Route("/v1/windows", windows),
        Route("/v1/alerts", alerts),
        Route("/v1/shadow", shadow),
        Route("/metrics", metrics),
    ]


def _shadow_counts(counts: Counts) -> dict[str, int]:
    """What became of the questions that the mirror saw, by the names of Prometheus."""
    settled = {f"shadow_{name}_total": getattr(counts, name) for name in ("seen", *OUTCOMES)}
    return {**settled, "shadow_waiting": counts.waiting}
