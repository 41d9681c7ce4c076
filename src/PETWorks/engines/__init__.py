"""Engines count; everything else computes on counts."""
