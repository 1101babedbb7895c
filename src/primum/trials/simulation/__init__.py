"""Many trials of one design side by side."""
