"""How a table or an index is paid for: its mode, its units, its ceilings and its warm throughput."""

from __future__ import annotations

from tablegate.dialects.terraform_plan.blocks import Block
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.table import Units
from tablegate.model.value import Doubt, Value

_ON_DEMAND = "PAY_PER_REQUEST"
_NO_LIMIT = (-1, 0)  # how the provider takes a ceiling away, and how it keeps that in state


def units(block: Block, mode: Value[str]) -> Units:
    """Provisioned units. On demand there are none, whatever is left of them in state."""
    return Units(
        read=_provisioned(facts.READ_CAPACITY, block, "read_capacity", mode),
        write=_provisioned(facts.WRITE_CAPACITY, block, "write_capacity", mode),
    )


def ceilings(block: Block) -> Units:
    """The most that on-demand requests may use."""
    limits = block.one("on_demand_throughput")
    if limits is None:
        return facts.NO_CEILING
    if isinstance(limits, Doubt):
        place = block.place("on_demand_throughput")
        return Units(read=facts.MAX_READ.doubted(limits, place), write=facts.MAX_WRITE.doubted(limits, place))
    return Units(
        read=limits.number(facts.MAX_READ, "max_read_request_units", computed=True, none=_NO_LIMIT),
        write=limits.number(facts.MAX_WRITE, "max_write_request_units", computed=True, none=_NO_LIMIT),
    )


def warmth(warm: Block | Doubt | None) -> Units:
    """What the table is warmed up for."""
    if warm is None:
        return facts.NO_WARMTH
    if isinstance(warm, Doubt):
        return Units(read=facts.WARM_READ.doubted(warm), write=facts.WARM_WRITE.doubted(warm))
    return Units(
        read=warm.number(facts.WARM_READ, "read_units_per_second", computed=True),
        write=warm.number(facts.WARM_WRITE, "write_units_per_second", computed=True),
    )


def _provisioned(fact: Fact[int], block: Block, key: str, mode: Value[str]) -> Value[int]:
    if mode.content == _ON_DEMAND:
        unwritten = block.written is not None and block.expression(key) is None
        if unwritten or block.content.get(key) == 0:
            return fact.unset
    return block.number(fact, key, computed=True)
