"""What is wrong with a flow, and the edits that mend it."""
