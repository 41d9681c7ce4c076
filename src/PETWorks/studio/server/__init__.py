"""The web server of the page, and what its pages share."""
