"""The page *Trials*: designs from a few settings, what they do, and what can be taken away."""
