"""`python -m PETWorks` is the command `petworks`."""

from PETWorks.cli import main

if __name__ == "__main__":
    main()
