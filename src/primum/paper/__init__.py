"""The paper's experiments, its claims, and an honest verdict on each."""
