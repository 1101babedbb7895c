"""The web application: routes and schemas."""
