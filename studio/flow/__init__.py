"""The document: values only; no files, no asyncio, no Qt."""
