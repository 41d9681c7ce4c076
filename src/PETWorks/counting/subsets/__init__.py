"""Counting classes for every subset of the quasi-identifiers."""
