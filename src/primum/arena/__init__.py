"""The arena: which policy should one use? A suite of problems, each with the value that it is judged by."""
