"""The state of the windows in the text form that Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def prometheus_text(
    state: Mapping[str, object], server: Mapping[str, int], faults: Mapping[str, int]
) -> str:
    """Every number of the last window, what the server counts, and the faults of its workers.

    >>> print(prometheus_text({}, {"records_stored_total": 3}, {"webhook": 1}), end="")
    # TYPE ragstone_records_stored_total counter
    ragstone_records_stored_total 3
    # TYPE ragstone_worker_faults_total counter
    ragstone_worker_faults_total{worker="webhook"} 1
    """
    lines = (*_counts(server), *_faults(faults), *_windows(state))
    return "".join(f"{line}\n" for line in lines)


def _faults(faults: Mapping[str, int]) -> Iterator[str]:
    yield "# TYPE ragstone_worker_faults_total counter"
    for name, count in faults.items():
        yield f'ragstone_worker_faults_total{{worker="{name}"}} {count}'


def _counts(server: Mapping[str, int]) -> Iterator[str]:
    for name, count in server.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        yield f"# TYPE ragstone_{name} {kind}"
        yield f"ragstone_{name} {count}"


def _windows(state: Mapping[str, object]) -> Iterator[str]:
    for family, key in (("window", "rolling"), ("audit", "audit"), ("answers", "answers")):
        table = state.get(key)
        if not isinstance(table, dict) or not table:
            continue
        for part in ("value", "samples"):
            yield f"# TYPE ragstone_{family}_{part} gauge"
            for name, found in table.items():
                if found[part] is not None:
                    yield f'ragstone_{family}_{part}{{metric="{name}"}} {found[part]}'
    budgets = state.get("error_budget")
    if isinstance(budgets, dict) and budgets:
        yield "# TYPE ragstone_error_budget_used gauge"
        for name, found in budgets.items():
            if found["used"] is not None:
                yield f'ragstone_error_budget_used{{metric="{name}"}} {found["used"]}'
    standing = state.get("standing")
    if isinstance(standing, list):
        yield "# TYPE ragstone_alert gauge"
        for alert in standing:
            yield f'ragstone_alert{{alert="{alert["alert"]}"}} 1'
        yield "# TYPE ragstone_roll_back gauge"
        yield f"ragstone_roll_back {int(bool(state['roll_back']))}"
