"""The network, as flows may use it: one broker, which looks at where a request really goes."""
