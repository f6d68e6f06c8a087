"""Values of JSON: their kinds, the places in them, texts that may be JSON."""
