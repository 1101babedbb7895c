"""The laboratory: a web application to define arms and a safety value, run policies and inspect the results."""
