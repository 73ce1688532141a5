"""What a run was given: its files and collections, over a real store."""

from activities.collections.run_documents import RunDocuments
from activities.collections.search import OwnDocumentSearch
from activities.confined.call_pool import run_in_thread
from store.collections.documents import CollectionRepository
from store.collections.index import IndexRepository
from store.files import FileRepository
from store.postgres.pool import Pool


def open_run_documents(pool: Pool) -> RunDocuments:
    """Return the documents of runs, searched in this process."""
    search = OwnDocumentSearch(IndexRepository(pool), run_in_thread)
    return RunDocuments(FileRepository(pool), CollectionRepository(pool), search)
