"""The web application: routes, schemas and middleware."""
