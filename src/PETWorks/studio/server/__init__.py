"""The web server of the page, and the state that its pages share."""
