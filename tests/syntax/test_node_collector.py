"""When the garbage of a long run is looked for."""

from __future__ import annotations

import gc

from tablegate.syntax.node import MUCH, collect_if_much


def test_garbage_is_collected_where_there_is_much() -> None:
    """A few new objects are left alone; of many, those that nobody needs are let go of."""
    gc.collect()
    gc.disable()
    try:
        kept: list[object] = [[] for _ in range(MUCH // 2)]
        collect_if_much()
        assert gc.get_count()[0] >= MUCH // 2
        kept += [[] for _ in range(MUCH)]
        collect_if_much()
        assert gc.get_count()[0] < MUCH // 2
    finally:
        gc.enable()
