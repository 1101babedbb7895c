"""The page *Trials*: designs from a few settings, what they do, and exports."""
