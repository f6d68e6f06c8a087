"""What stands in scripts in the place of the studio; lifted as it stands, never imported by it."""
