"""Make up the hospital's table of the gallery.

python docs/gallery/hospital.py FILE [RECORDS]    5,000 records unless told otherwise
"""

import sys

from PETWorks.cli.demo import write_hospital

if __name__ == "__main__":
    write_hospital(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5_000)
