"""The compiled contract: what policies, values and engine share, written as plain Python and compiled on demand."""
