#!/usr/bin/env python3
"""Puts the summary of a matrix into README.md: what stands between the two marks in a Markdown file that `meshspec matrix` wrote.

  tools/readme_matrix.py build/matrix.md README.md    replaces what stands between the marks in README.md
  tools/readme_matrix.py --check README.md            only looks whether the marks, and a table between them, are there
"""
import pathlib
import sys

BEGIN, END = "<!-- matrix summary: begin -->\n", "<!-- matrix summary: end -->\n"


def cut(file):
    """The text before, between and after the marks, which stay with their sides."""
    try:
        text = pathlib.Path(file).read_text(encoding="utf-8")
    except OSError as error:
        sys.exit(f"{file}: {error.strerror} (`make matrix` makes build/matrix.md)")
    before, begin, rest = text.partition(BEGIN)
    between, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after or END in before:
        sys.exit(f"{file}: the lines {BEGIN.strip()} and {END.strip()} must stand there once, in this order")
    if "\n|" not in between:
        sys.exit(f"{file}: there is no table between the marks of the matrix")
    return before + begin, between, end + after


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    if arguments[0] == "--check":
        cut(arguments[1])
        return
    before, _, after = cut(arguments[1])
    pathlib.Path(arguments[1]).write_text(before + cut(arguments[0])[1] + after, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
