"""The languages of reports, page and command."""
