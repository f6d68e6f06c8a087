"""The command line: results on standard output, everything else on standard error."""
