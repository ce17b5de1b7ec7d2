"""When the garbage of a long run is looked for."""

from __future__ import annotations

import gc

from tablegate.syntax.node import MANY_OBJECTS, collect_if_many


def test_garbage_is_collected_where_there_is_much() -> None:
    """A few new objects are left alone; of many, those that nobody needs are let go of."""
    gc.collect()
    gc.disable()
    try:
        kept: list[object] = [[] for _ in range(MANY_OBJECTS // 2)]
        collect_if_many()
        assert gc.get_count()[0] >= MANY_OBJECTS // 2
        kept += [[] for _ in range(MANY_OBJECTS)]
        collect_if_many()
        assert gc.get_count()[0] < MANY_OBJECTS // 2
    finally:
        gc.enable()
