"""Texts and settings that were edited in an exported script, taken into its flow again."""
