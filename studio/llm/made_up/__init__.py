"""Answers that are made up to fit what is asked, so that anything drawn runs without a language model."""
