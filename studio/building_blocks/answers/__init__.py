"""Answers: of a form that is asked for, held against a rubric, or approved by a person."""
