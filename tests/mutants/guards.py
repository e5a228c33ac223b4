"""The store's guards, each taken out or broken once."""

from __future__ import annotations

from typing import Final, NamedTuple


class Mutant(NamedTuple):
    """One textual change, and the tests that must notice it."""

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]


_TAMPER = "tests/faults/test_tamper.py"
_BLOCKED = (f"{_TAMPER}::test_a_guard_blocks_the_edit",)
_FOUND = (f"{_TAMPER}::test_an_edit_behind_the_guards_is_found_at_its_position",)
_APPEND = ("tests/contract/test_append.py", "-k", "not postgres")
_HONESTY = ("tests/faults/test_honesty.py", "-k", "not postgres")
_BAD_INPUT = ("tests/integration/test_bad_input.py",)
_MIGRATION = "migrations/versions/0001_chain.py"
_CHAIN = "ledger/store/chain.py"
_SHIP = "ledger/store/ship.py"
_SHIPPING = ("tests/contract/test_parity.py", "-k", "damage or new or kept")

GUARD_MUTANTS: Final = (
    Mutant(
        "trigger: events may be deleted",
        _MIGRATION,
        "CREATE TRIGGER events_no_delete BEFORE DELETE ON events\n    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END",
        "CREATE TRIGGER events_no_delete BEFORE DELETE ON events\n    BEGIN SELECT 1; END",
        _BLOCKED,
    ),
    Mutant(
        "trigger: an envelope may be updated",
        _MIGRATION,
        "AND NEW.hash = OLD.hash AND NEW.envelope = OLD.envelope\n        AND EXISTS",
        "AND NEW.hash = OLD.hash\n        OR EXISTS",
        _BLOCKED,
    ),
    Mutant(
        "trigger: REPLACE by event id",
        _MIGRATION,
        "OR EXISTS (SELECT 1 FROM events WHERE catalog_id = NEW.catalog_id AND event_id = NEW.event_id)\n",
        "\n",
        _BLOCKED,
    ),
    Mutant(
        "trigger: gaps",
        _MIGRATION,
        "OR (NEW.place & 68719476735 <> 1 AND NOT EXISTS (SELECT 1 FROM events WHERE place = NEW.place - 1))\n",
        "\n",
        _BLOCKED,
    ),
    Mutant(
        "trigger: documents may be deleted",
        _MIGRATION,
        "CREATE TRIGGER documents_no_delete BEFORE DELETE ON documents\n    BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END",
        "CREATE TRIGGER documents_no_delete BEFORE DELETE ON documents\n    BEGIN SELECT 1; END",
        _BLOCKED,
    ),
    Mutant(
        "trigger: erasure without its event",
        _MIGRATION,
        "WHEN EXISTS (SELECT 1 FROM erased_events WHERE place = NEW.place)\n        OR NOT EXISTS (SELECT 1 FROM events WHERE place = NEW.by_place AND kind = 'payload.erased')",
        "WHEN EXISTS (SELECT 1 FROM erased_events WHERE place = NEW.place)",
        _BLOCKED,
    ),
    Mutant(
        "trigger: the head may go back",
        _MIGRATION,
        "WHEN NEW.catalog_id <> OLD.catalog_id OR NEW.chain_id <> OLD.chain_id OR NEW.seq < OLD.seq\n        OR NEW.epoch",
        "WHEN NEW.catalog_id <> OLD.catalog_id OR NEW.chain_id <> OLD.chain_id\n        OR NEW.epoch",
        _BLOCKED,
    ),
    Mutant(
        "postgres: TRUNCATE",
        _MIGRATION,
        '    *_postgres_truncate_guard("events"),\n',
        "",
        (f"{_TAMPER}::test_postgresql_blocks_the_same_edits_and_its_own",),
    ),
    Mutant(
        "postgres: a replica's session skips the guards",
        _MIGRATION,
        'f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}",',
        'f"ALTER TABLE {table} ENABLE TRIGGER {name}",',
        (f"{_TAMPER}::test_postgresql_blocks_the_same_edits_and_its_own",),
    ),
    Mutant(
        "head lock: a deferred transaction",
        "ledger/store/sqlite.py",
        'raw.execute("BEGIN IMMEDIATE")',
        'raw.execute("BEGIN")',
        ("tests/faults/test_files.py", "-k", "stranger"),
    ),
    Mutant(
        "postgres: the head is read without a lock",
        "ledger/store/sql.py",
        'WHERE catalogs.name = %s::VARCHAR COLLATE \\"C\\" FOR UPDATE"',
        'WHERE catalogs.name = %s::VARCHAR COLLATE \\"C\\""',
        ("tests/faults/test_processes.py", "-k", "many_writers and postgres"),
    ),
    Mutant(
        "walk: the link to the predecessor",
        _CHAIN,
        "if sha256(EVENT_PREFIX + previous + envelope).digest() != digest:",
        "if False:",
        _FOUND,
    ),
    Mutant(
        "walk: consecutive positions",
        _CHAIN,
        "if seq_of(at) != seq:",
        "if False:",
        (f"{_TAMPER}::test_a_missing_event_is_called_missing",),
    ),
    Mutant(
        "walk: columns equal the envelope",
        _CHAIN,
        'header["recorded_at"] != recorded_us',
        'header["recorded_at"] == 0',
        _FOUND,
    ),
    Mutant("walk: the kind's column", _CHAIN, 'or header["kind"] != kind', "", _FOUND),
    Mutant("walk: claimed time", _CHAIN, "if claimed_us != claimed_before:", "if False:", _FOUND),
    Mutant(
        "walk: the payload's commitment",
        _CHAIN,
        'elif sha256(PAYLOAD_PREFIX + salt + payload).hexdigest() != header["payload_digest"]:',
        "elif False:",
        _FOUND,
    ),
    Mutant(
        "walk: half an erasure",
        _CHAIN,
        "if payload is not None or salt is not None:",
        "if False:",
        (f"{_TAMPER}::test_half_an_erasure_is_found_even_where_the_whole_one_was_recorded",),
    ),
    Mutant("walk: erasures need their event", _CHAIN, "if seq not in walked.said_erased:", "if False:", _FOUND),
    Mutant(
        "walk: events beyond the head",
        _CHAIN,
        "place(catalog.catalog_id + 1, 0) - 1)",
        "place(catalog.catalog_id, catalog.seq))",
        _FOUND,
    ),
    Mutant(
        "walk: the head's own time",
        _CHAIN,
        "if (walked.recorded_us, walked.claimed_us) != (catalog.recorded_us, catalog.claimed_us):",
        "if False:",
        _FOUND,
    ),
    Mutant(
        "documents: bytes equal the digest",
        _CHAIN,
        "elif hashlib.sha256(body).digest() != key:",
        "elif False:",
        _FOUND,
    ),
    Mutant("documents: blank ones need their event", _CHAIN, "if key not in may_be_blank:", "if False:", _FOUND),
    Mutant(
        "documents: named ones are there",
        _CHAIN,
        "if self._connection.one(sql.DOCUMENT_KNOWN, key_of(digest)) is None:",
        "if False:",
        _FOUND,
    ),
    Mutant(
        "verify: the schema's digest",
        "ledger/services/verify.py",
        "if hashlib.sha256(text.encode()).hexdigest() in SCHEMA_DIGESTS:",
        "if text:",
        (f"{_TAMPER}::test_a_changed_schema_is_found",),
    ),
    Mutant(
        "verify: nothing checked is not verified",
        "ledger/services/verify.py",
        'if self.events == 0:\n            return "unchecked"',
        'if self.events < 0:\n            return "unchecked"',
        _HONESTY,
    ),
    Mutant(
        "verify: a tail without an anchor",
        "ledger/services/verify.py",
        "if reached is None and catalog.seq and",
        "if False and",
        _HONESTY,
    ),
    Mutant(
        "verify: receipts are not looked at",
        "ledger/services/verify.py",
        "return store.receipts.all()",
        "return []",
        (f"{_TAMPER}::test_yesterdays_file_put_back_is_found_by_the_receipt",),
    ),
    Mutant(
        "anchor: a missing tail",
        "ledger/store/anchors.py",
        "if head.seq > catalog.seq or head.epoch > catalog.epoch:",
        "if head.seq > catalog.seq + 10**6:",
        (f"{_TAMPER}::test_yesterdays_file_put_back_is_found_by_the_receipt", *_FOUND),
    ),
    Mutant(
        "anchor: a rewritten history",
        "ledger/store/anchors.py",
        "if hash_at(connection, catalog, head.seq) != head.hash:",
        "if False:",
        (f"{_TAMPER}::test_a_rewritten_history_is_only_found_by_a_head_kept_elsewhere",),
    ),
    Mutant(
        "append: behind the receipt",
        "ledger/store/store.py",
        "if receipt.seq > catalog.seq:",
        "if False:",
        _APPEND,
    ),
    Mutant("append: into a remote chain", "ledger/store/append.py", "if catalog.is_remote:", "if False:", _APPEND),
    Mutant(
        "append: the expectation",
        "ledger/store/append.py",
        "and before.seq != expecting:",
        "and before.seq < 0:",
        _APPEND,
    ),
    Mutant(
        "append: duplicates are looked for",
        "ledger/store/append.py",
        "if draft.event_id is not None else None",
        "if False else None",
        _APPEND,
    ),
    Mutant("append: the same content", "ledger/store/append.py", "    if not same:\n", "    if False:\n", _APPEND),
    Mutant(
        "append: the clock is held",
        "ledger/store/append.py",
        "held = self.recorded_us > self._now and",
        "held = False and",
        _APPEND,
    ),
    Mutant(
        "append: salts are random",
        "ledger/store/append.py",
        "batch.add(draft, event_id, salts.next())",
        "batch.add(draft, event_id, bytes(SALT_BYTES))",
        _APPEND,
    ),
    Mutant(
        "receipts: only forward",
        "ledger/store/receipts.py",
        "if known is not None and (known.epoch, known.seq) > (head.epoch, head.seq):",
        "if False:",
        ("tests/unit/test_receipts.py",),
    ),
    Mutant(
        "receipts: strict is on disk when it returns",
        "ledger/store/receipts.py",
        "        if self._strict:\n            self.sync()",
        "        if self._strict:\n            pass",
        ("tests/unit/test_receipts.py",),
    ),
    Mutant(
        "redaction: nothing is replaced",
        "ledger/services/record.py",
        "payload, _ = self._redactor.redact(kind, payload)",
        "pass",
        _HONESTY,
    ),
    Mutant(
        "erasure: freed pages keep their bytes",
        "ledger/store/sqlite.py",
        '"secure_delete": 1,',
        '"secure_delete": 0,',
        _HONESTY,
    ),
    Mutant(
        "erasure: the log keeps its bytes",
        "ledger/store/sqlite.py",
        'connection.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")',
        "pass",
        _HONESTY,
    ),
    Mutant(
        "open: a newer ledger",
        "ledger/store/store.py",
        "if revision not in KNOWN_REVISIONS:",
        "if False:",
        _BAD_INPUT,
    ),
    Mutant(
        "open: a foreign database",
        "ledger/store/sqlite.py",
        "if application_id != APPLICATION_ID and (application_id or _tables(raw)):",
        "if False:",
        _BAD_INPUT,
    ),
    Mutant(
        "record: a file is checked whole first",
        "ledger/services/intake.py",
        "if path.is_file():",
        "if False:",
        _BAD_INPUT,
    ),
    Mutant(
        "record: unknown fields",
        "ledger/services/record.py",
        "if not line.keys() <= _FIELDS:",
        "if False:",
        _BAD_INPUT,
    ),
    Mutant("import: the head line", _SHIP, "if not self._ended:", "if False:", _SHIPPING),
    Mutant(
        "import: the stated head",
        _SHIP,
        'if head != {"epoch": walked.epoch, "hash": walked.hash.hex(), "seq": walked.seq}:',
        "if False:",
        _SHIPPING,
    ),
    Mutant(
        "import: documents' bytes",
        _SHIP,
        "elif hashlib.sha256(body.encode()).digest() != key:",
        "elif False:",
        _SHIPPING,
    ),
    Mutant(
        "import: blanks need their event",
        _SHIP,
        "        require_erasures(walked)\n",
        "",
        _SHIPPING,
    ),
)
