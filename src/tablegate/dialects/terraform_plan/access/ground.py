"""What documents are read with: the world after the plan, its tables, and the symbols of its estate."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.access.symbols import Symbols
from tablegate.dialects.terraform_plan.links import Links
from tablegate.dialects.terraform_plan.regions import Regions
from tablegate.dialects.terraform_plan.states import State
from tablegate.dialects.terraform_plan.worlds import World
from tablegate.model.record import field, record
from tablegate.model.table import Table


@record(eq=False)
class Ground:
    """One plan, as far as its documents need it."""

    world: World
    before: World
    links: Links
    regions: Regions
    state: State
    tables: Mapping[str, Table]
    symbols: Symbols = field(default_factory=Symbols)
