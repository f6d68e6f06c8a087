"""Servers that lend tools over the Model Context Protocol (MCP)."""
