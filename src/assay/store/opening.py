"""`open_store`: open a store by a folder or a URL."""

from __future__ import annotations

from os import PathLike, fspath

from assay.errors import StoreError, require_instance
from assay.plugins import load_plugins
from assay.store.embedded import EmbeddedStore
from assay.store.postgres import PostgresStore
from assay.store.protocol import Store

__all__ = ["open_store"]


def open_store(url_or_path: str | PathLike[str]) -> Store:
    """Open a store, or create it.

    Parameters
    ----------
    url_or_path
        A folder for an `EmbeddedStore`; or a URL such as ``postgresql://user@host/database`` for a
        `PostgresStore`. Packages add schemes of URLs by entry points of the group
        ``assay.stores``, each named after its scheme.

    Returns
    -------
    Store
        The open store.

    Raises
    ------
    CheckError
        If the argument is not a path or a URL.
    StoreError
        If the scheme of the URL is unknown, or the store cannot be opened.

    Examples
    --------
    >>> open_store(getfixture("tmp_path") / "store").datasets()
    ()
    >>> open_store("redis://host")
    Traceback (most recent call last):
    ...
    assay.errors.StoreError: cannot open the store redis://host: expected a folder or a URL with postgresql://.
    """
    expected = "a folder or a URL, such as postgresql://user@host/database"
    require_instance(url_or_path, (str, PathLike), "invalid store", expected)
    location = fspath(url_or_path)
    scheme, separator, _ = location.partition("://")
    if not separator:
        return EmbeddedStore(location)
    plugins = dict(load_plugins("assay.stores"))
    if scheme in plugins:
        store: Store = plugins[scheme](location)
        return store
    if scheme.partition("+")[0] in ("postgresql", "postgres"):
        return PostgresStore(location)
    raise StoreError.unknown_scheme(location, ["postgresql", *plugins])
