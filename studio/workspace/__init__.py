"""What a project and its user give a run: flows, node types, chat profiles, keys, prices, allowances."""
