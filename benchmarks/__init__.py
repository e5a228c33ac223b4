"""Our numbers beside raw SQLite, raw PostgreSQL and the `eventsourcing` library, measured in one run.

    make bench              everything, a million events: about an hour and 15 GB of disk
    make bench QUICK=1      the same small, in under a minute: for seeing that it works, not for the numbers
    python -m benchmarks --only append --only rebuild

An absolute time means little on a shared machine, so each figure is a ratio to a baseline that is measured in the same
run. Ours and its baselines take turns; every round gives one ratio, and the figure is the median of them. CPU time per
event is told beside it, because it is steadier than wall time. `targets.py` says what each figure has to reach; one
that is missed is reported and is no error.

| module | figures | baselines |
|---|---|---|
| `append.py` | append_single, append_batch | raw INSERT; the same with every column of ours; `Application.save` |
| `reading.py` | scan, verify | raw fetch of the rows |
| `projections.py` | rebuild, asof_growth, asof_floor | raw fetch; the same, decoded and inserted; `eventsourcing` |
| `writers.py` | writers | one process, raw INSERT |
| `postgres.py` | pg_single, pg_batch | psycopg INSERT; COPY |
| `cold.py` | cold_help, cold_log | a one-command Typer app; a bare interpreter |
| `sizes.py` | size_repeat, size_event | the producers' JSON lines |
| `memory.py` | memory_record, memory_verify, memory_rebuild | the same over a tenth of the events |
"""
