"""The OpenAI protocol: requests as it wants them, answers read from its streams, and what goes wrong."""
