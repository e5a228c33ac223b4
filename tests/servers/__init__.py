"""Real MCP servers for tests: written with the official SDK, or by hand to misbehave."""
