"""Reading an event needs no validator: Pydantic is slow to import, and readers start often."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["documents", "envelope", "redact", "upcast"])
def test_what_readers_and_the_spool_need_does_not_import_pydantic(module):
    script = f"import sys, ledger.events.{module}; print('pydantic' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
