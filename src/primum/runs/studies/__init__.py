"""Studies: many experiments as one object, their results and their figures."""
