"""What was said in a step: messages, tool calls beside their answers, what filled a request."""
