"""`http://host/path`: posts each question as JSON to the URL as it is written."""

from __future__ import annotations

import msgspec

from ragstone.contracts.strict_json import NotJson, parse
from ragstone.targets.protocol import Answer, Ask, NoAnswer, answer_of
from ragstone.targets.registry import Opening
from ragstone.targets.wire import Poster, Response


class Http:
    """POST `{"q","seed","jitter","knobs"}` → `{"answer_json","retrieved_ids","stage_ms"?}`."""

    def __init__(self, url: str) -> None:
        self._poster = Poster(url)

    async def ask(self, ask: Ask) -> Answer:
        response = await self._poster.post(msgspec.json.encode(ask.body()))
        return answer_of(json_of(response))

    async def close(self) -> None:
        await self._poster.close()


def open_http(address: str, opening: Opening) -> Http:
    return Http(address)


def json_of(response: Response) -> object:
    """Parses the body of a response with status 200; after 429 and 5xx asking again may help."""
    status = response.status
    if status != 200:
        again = status == 429 or status >= 500
        after = response.retry_after if again else None
        raise NoAnswer("http_status", f"HTTP status {status}", again=again, after=after)
    try:
        return parse(response.body)
    except NotJson as error:
        raise NoAnswer("bad_answer", f"the reply is not JSON: {error}") from None
