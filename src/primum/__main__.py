"""`python -m primum`: the command line."""

from primum.cli import main

main()
