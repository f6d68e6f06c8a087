"""Running code that is not ours: isolation levels behind one protocol (`studio.sdk.code`)."""
