"""Room 6: real MCP servers. Configurations, captures and watching; everything a server says is hostile."""
