"""JSON as values: strict reading, canonical bytes, digests, pointers, schema checks and changes."""
