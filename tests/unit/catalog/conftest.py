"""What is collected here: the tests on real files only where those are at hand."""

from __future__ import annotations

from tests.unit.catalog.real_files import STELAE

collect_ignore = [] if STELAE.is_dir() else ["test_real_files.py"]
