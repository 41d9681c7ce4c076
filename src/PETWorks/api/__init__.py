"""The functions that Python users call to make and to check releases; `PETWorks` exports them."""
