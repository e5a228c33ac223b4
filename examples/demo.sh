#!/bin/sh
# The main job, end to end: record a small history, read it, prove it, then forge a copy and see it found out.
# `make demo` runs it with the local environment's commands on the PATH. It writes only to a temporary directory.
set -eu

examples=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cp -R "$examples/history" "$examples/tamper.py" "$scratch"
cd "$scratch"

# no ledger and no setting of yours is touched
for name in $(env | sed -n 's/^\(CATLEDGER_[A-Z_]*\)=.*/\1/p; s/^\(STELAE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
CATLEDGER_STATE_HOME="$scratch/state" CATLEDGER_DB=ledger.db CATLEDGER_ACTOR=cli/demo
export CATLEDGER_STATE_HOME CATLEDGER_DB CATLEDGER_ACTOR

say() { printf '\n# %s\n' "$*"; }

# expect CODE COMMAND: show the command, run it, and stop the demo if it exits with anything but CODE
expect() {
    wanted=$1
    shift
    printf '\n$ %s\n' "$*"
    code=0
    sh -c "$*" || code=$?
    [ "$wanted" -eq 0 ] || printf '(exit %s)\n' "$code"
    [ "$code" -eq "$wanted" ] || { printf 'demo: expected exit %s, got %s\n' "$wanted" "$code" >&2; exit 1; }
}

say "Monday: a gateway lists two servers, CI renders the catalog, clients are served, a schema is used"
expect 0 "catledger record history/monday.jsonl"
expect 0 "catledger status"
expect 0 "catledger check"

say "Tuesday: one server goes down and comes back, the other renames a tool, a schema begins to fail"
expect 0 "catledger record history/tuesday.jsonl"
expect 0 "catledger log"

say "What servers list, what clients should see, what they were served"
expect 0 "catledger catalog descriptors"
expect 0 "catledger catalog intended"
expect 0 "catledger catalog live"

say "An agent lost its ticket tools on Tuesday at 14:05: what was served then, and why?"
expect 0 "catledger catalog live --occurred '2025-03-04 14:05'"
expect 0 "catledger drift --tool create_ticket"

say "The same catalog at a position instead of a time: just before the server went down"
expect 0 "catledger catalog live --as-of 8"

say "Where intention and reality parted and met again, and what else is new since Monday"
expect 0 "catledger drift"
expect 0 "catledger changes --since 7"
expect 0 "catledger schemas"

say "CI asks: may this ship? A renamed tool is missing and a schema keeps failing: no"
expect 1 "catledger check"

say "The head is the thing to keep elsewhere; with it anybody can hold the ledger to its word"
expect 0 "catledger head | tee kept-elsewhere.txt"
expect 0 "catledger verify --anchor kept-elsewhere.txt"

say "A clumsy forger edits a copy: the chain and the guards show it"
expect 0 "cp ledger.db clumsy.db && python tamper.py clumsy.db clumsy"
expect 4 "catledger --db clumsy.db verify"

say "A careful forger makes the copy agree with itself: alone it cannot be told, so it is not called verified"
expect 0 "cp ledger.db careful.db && python tamper.py careful.db careful"
expect 3 "catledger --db careful.db verify"

say "Against the head that was kept elsewhere it is found out"
expect 4 "catledger --db careful.db verify --anchor kept-elsewhere.txt"

printf '\nThe demo is done: everything was as expected, and nothing is left behind.\n'
