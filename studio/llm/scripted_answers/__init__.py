"""An endpoint without a language model: rules answer, in the formats of the protocol, with its faults."""
