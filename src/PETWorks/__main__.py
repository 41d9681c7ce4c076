"""`python -m PETWorks` is the command `petworks`."""

from PETWorks.cli.main import main

if __name__ == "__main__":
    main()
