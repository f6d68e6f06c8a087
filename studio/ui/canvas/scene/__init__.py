"""The flow as arrays: what stands where. No Qt."""
