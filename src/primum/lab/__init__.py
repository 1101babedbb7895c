"""The laboratory: a web application to build environments, run policies and see what they do."""
