-- Collections of users' own documents, and the index that is searched.

-- A user's own documents, kept until they are deleted. `folder` is the directory that a collection
-- mirrors; the documents of any other one are uploaded.
CREATE TABLE collections (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    folder text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    served_at timestamptz NOT NULL DEFAULT now(),  -- when a document of it was last begun
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, user_id, name)
);

-- `id` is the holder of a document's blobs: a change of its content makes another one. `body` is its
-- source, once it is indexed; `stamp` tells whether a folder's file was written to since. `reader` is the
-- version of the readers that read it; `is_claimed`: a worker reads it.
CREATE TABLE collection_documents (
    tenant_id text NOT NULL,
    collection_id text NOT NULL,
    name text NOT NULL,
    id text NOT NULL,
    status text NOT NULL DEFAULT 'waiting'
        CHECK (status IN ('waiting', 'reading', 'indexed', 'failed')),
    content_hash text NOT NULL,
    content_type text NOT NULL,
    bytes bigint NOT NULL,
    raw_key text NOT NULL,
    stamp text NOT NULL DEFAULT '',
    attempts int NOT NULL DEFAULT 0,
    is_claimed boolean NOT NULL DEFAULT false,
    reader int NOT NULL DEFAULT 0,
    failure jsonb,
    body jsonb,
    pages int NOT NULL DEFAULT 0,
    added_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, collection_id, name),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, collection_id) REFERENCES collections
);
CREATE INDEX ON collection_documents (tenant_id, collection_id, status);
CREATE INDEX ON collection_documents (tenant_id) WHERE status IN ('waiting', 'reading');
CREATE INDEX ON collection_documents (tenant_id, content_hash) WHERE status = 'indexed';
CREATE INDEX ON collection_documents (reader, tenant_id) WHERE status IN ('indexed', 'failed');

-- The search index: a row for each page, or for a section of a document without pages. `scope` is a
-- collection or an uploaded file; it also stands among the words, behind `@`, as do the words of the
-- document's name, behind `#`. The counts of terms, by which rows are ranked, are made once.
CREATE TABLE index_rows (
    id bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id text NOT NULL,
    scope text NOT NULL,
    document_id text NOT NULL,
    position int NOT NULL,
    page int,
    start int NOT NULL,
    stop int NOT NULL,
    name text NOT NULL,
    head text NOT NULL,
    text text NOT NULL,
    length int NOT NULL,
    head_terms jsonb NOT NULL,
    text_terms jsonb NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (tenant_id, document_id, position)
);
CREATE INDEX ON index_rows (id);
CREATE INDEX ON index_rows (tenant_id, scope) INCLUDE (length);
CREATE INDEX index_rows_words ON index_rows USING gin (words);

-- Blobs to which no row refers: either one is about to, or they are about to be deleted. The sweep
-- deletes those that a process left here.
CREATE TABLE loose_blobs (
    tenant_id text NOT NULL,
    key text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, key)
);
