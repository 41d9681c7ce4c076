"""Counting tables that are in memory."""
