"""Write the HTML page of what a command prints."""

from __future__ import annotations

from assay.cli.options import OutputOptions, PageOptions
from assay.cli.output import note
from assay.errors import CheckError
from assay.html import HasPage, HtmlPage
from assay.io.atomic_write import write_atomically

__all__ = ["write_page"]


def write_page(content: HasPage | HtmlPage, options: PageOptions, output: OutputOptions) -> None:
    """Write the page to the file of ``--html``, if one is given.

    Raises
    ------
    CheckError
        If the file cannot be written.
    """
    path = options.html
    if path is None:
        return
    try:
        page = content if isinstance(content, HtmlPage) else content.page
        write_atomically(path, page.html)
    except OSError as error:
        raise CheckError(f"--html: {path} cannot be written: {error.strerror}.") from error
    note(output, f"The page is in {path}.")
