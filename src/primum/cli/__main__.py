"""`python -m primum.cli`: the command line."""

from primum.cli import main

main()
