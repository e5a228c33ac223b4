#!/usr/bin/env python3
"""Checks an exported chain without catledger: `check_chain.py FILE [HEAD]`. Standard library only.

HEAD is `chain epoch seq hash` as `catledger head` printed it. Exit 0: sound; 1: damaged, with the first bad place.
"""

import hashlib
import json
import sys

ENVELOPE = ["actor", "causation", "chain_id", "clock_behind_us", "correlation_id", "epoch", "event_id", "kind"]
ENVELOPE += ["occurred_at", "payload_digest", "producer", "recorded_at", "seq", "version"]


def fail(number, reason):
    sys.exit(f"line {number}: {reason}")


def check(lines, anchor=None):  # noqa: PLR0912 - one walk from the first line to the last
    chain, head, previous = None, None, b""
    seq = epoch = recorded = 0
    documents, blank, erased, reached = set(), {}, set(), anchor is None
    for number, line in enumerate(lines, 1):
        value = json.loads(line)
        if number == 1:
            if value.get("format") != "catledger/chain/v1":
                fail(number, "not a catledger chain")
            chain = value["chain_id"]
            previous = hashlib.sha256(b"catledger/chain/v1\n" + bytes.fromhex(chain)).digest()
        elif head is not None:
            fail(number, "text after the head")
        elif "document" in value:
            name, body = value["document"], value["body"]
            if body is None:
                blank[name] = number
            elif "jcs1-sha256:" + hashlib.sha256(body.encode()).hexdigest() != name:
                fail(number, f"document {name} has other bytes than its digest says")
            documents.add(name)
        elif "envelope" in value:
            raw, payload = value["envelope"].encode(), value["payload"]
            link = hashlib.sha256(b"catledger/event/v1\n" + previous + raw).digest()
            envelope = json.loads(raw)
            seq += 1
            if link.hex() != value["hash"]:
                fail(number, f"event {seq} does not match its hash")
            if list(envelope) != ENVELOPE or envelope["chain_id"] != chain or envelope["seq"] != seq:
                fail(number, f"event {seq} belongs to another chain or position")
            if envelope["epoch"] < epoch:
                fail(number, f"event {seq} is of an earlier epoch than its predecessor")
            if envelope["recorded_at"] < recorded and envelope["kind"] != "clock.corrected":
                fail(number, f"event {seq} was recorded before its predecessor")
            if payload is None:
                blank[seq] = number
            else:
                salted = b"catledger/payload/v1\n" + bytes.fromhex(value["salt"]) + payload.encode()
                if hashlib.sha256(salted).hexdigest() != envelope["payload_digest"]:
                    fail(number, f"event {seq} has another payload than it commits to")
                if envelope["kind"] == "payload.erased":
                    said = json.loads(payload)
                    erased.update(target["seq"] for target in said.get("targets", ()))
                    erased.update(said.get("documents", ()))
            previous, epoch, recorded = link, envelope["epoch"], envelope["recorded_at"]
            reached = reached or anchor == [chain, str(epoch), str(seq), link.hex()]
        else:
            head = value["head"]
    if head != {"epoch": epoch, "hash": previous.hex(), "seq": seq}:
        fail("last", "the head is missing or another one: the end was cut off")
    for what in blank.keys() - erased:
        fail(blank[what], f"{what} is blank, and no event says that it was erased")
    if not reached:
        fail("last", "the chain does not contain the head you kept")
    return f"{seq} events, {len(documents)} documents, {len(blank)} erased; head {chain} {epoch} {seq} {previous.hex()}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        print(check(file, sys.argv[2].split() if len(sys.argv) > 2 else None))
