"""What a flow means to the exporter: when there is a value where, what fails, what overlaps."""
