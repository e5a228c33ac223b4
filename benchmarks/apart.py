"""Work in a process of its own, so that its memory is its own: records, verifies or rebuilds, and tells the peak.

python -m benchmarks.apart record|verify|rebuild HOME EVENTS
"""

from __future__ import annotations

import resource
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from benchmarks.ledgers import CATALOG, require_folded, settings_in
from benchmarks.workload import Workload
from ledger.bootstrap import Ledger, open_ledger
from ledger.projections.rebuild import rebuild
from ledger.services.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

_AT_ONCE = 1_000


def main(arguments: Sequence[str]) -> None:
    """Do what the first argument says, then print `{"peak_mb": …}`."""
    verb, home, events = arguments
    with open_ledger(settings_in(Path(home)), read_only=verb == "verify") as ledger:
        match verb:
            case "record":
                record(ledger, int(events))
            case "verify":
                assert verify(ledger.store).events >= int(events)
            case _:
                rebuild_all(ledger)
    sys.stdout.buffer.write(orjson.dumps({"peak_mb": _peak_mb()}))


def record(ledger: Ledger, events: int) -> None:
    """Append so many events of the workload, a thousand per transaction."""
    recorder = ledger.recorder()
    lines = Workload().lines(events)
    while batch := list(islice(lines, _AT_ONCE)):
        recorder.record(CATALOG, batch)
    require_folded(ledger)


def rebuild_all(ledger: Ledger) -> None:
    """Fold every projection from zero and put the rows in place."""
    rebuild(ledger.store, ledger.runner, CATALOG)
    require_folded(ledger)


def _peak_mb() -> float:
    # Not ru_maxrss where it can be helped: on Linux a child inherits the peak of the process that started it.
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="ascii", errors="replace").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1_024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024**2


if __name__ == "__main__":
    main(sys.argv[1:])
