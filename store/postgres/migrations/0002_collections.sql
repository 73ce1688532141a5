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

-- Tells whether a document is to be read again: an older reader read it. It is searched meanwhile.
CREATE FUNCTION is_outdated(document collection_documents, version int) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT document.status IN ('indexed', 'failed') AND document.reader < version
        AND document.raw_key <> '' AND document.attempts < 3
$$;

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

-- Removes documents of collections with their rows; their blobs become loose unless a run needs them.
CREATE FUNCTION drop_documents(tenant text, ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM index_rows WHERE tenant_id = tenant AND document_id = ANY(ids);
    DELETE FROM collection_documents WHERE tenant_id = tenant AND id = ANY(ids);
    INSERT INTO loose_blobs (tenant_id, key, since)
        SELECT tenant, key, '-infinity' FROM unnest(release_blobs(tenant, ids)) AS each (key)
        ON CONFLICT (tenant_id, key) DO UPDATE SET since = '-infinity';
END $$;

-- Makes a collection of a user within a quota, or finds the one of its name; of a folder, the one that mirrors
-- it, under a name that nobody of the tenant has. Returns its id and name, or null where the user has too many.
CREATE FUNCTION make_collection(
    tenant text, owner text, new_id text, new_name text, new_folder text, max_collections int
) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    known jsonb;
    free_name text := new_name;
    nth int := 1;
BEGIN
    PERFORM lock_blobs(tenant);
    SELECT jsonb_build_object('id', id, 'name', name) INTO known FROM collections
        WHERE tenant_id = tenant AND CASE new_folder
            WHEN '' THEN name = new_name AND (user_id = owner OR folder <> '')
            ELSE (user_id, folder) = (owner, new_folder) END
        LIMIT 1;
    IF FOUND THEN
        RETURN known;
    END IF;
    IF (SELECT count(*) FROM collections WHERE (tenant_id, user_id) = (tenant, owner)) >= max_collections THEN
        RETURN NULL;
    END IF;
    WHILE EXISTS (SELECT FROM collections WHERE (tenant_id, name) = (tenant, free_name) AND new_folder <> '') LOOP
        nth := nth + 1;
        free_name := left(new_name, 70) || ' (' || nth || ')';
    END LOOP;
    INSERT INTO collections (tenant_id, id, user_id, name, folder)
        VALUES (tenant, new_id, owner, free_name, new_folder);
    RETURN jsonb_build_object('id', new_id, 'name', free_name);
END $$;

-- Saves a document under its name, in place of another version, within the quotas of the
-- collection's owner. Returns `saved`, `unchanged`, `gone` where the collection was deleted, or the
-- quota that it would exceed: `count` or `bytes`.
CREATE FUNCTION save_document(
    tenant text, collection text, document jsonb, max_documents int, max_bytes bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    given collection_documents%ROWTYPE := jsonb_populate_record(NULL::collection_documents, document);
    old collection_documents%ROWTYPE;
    owner record;
    kept bigint;
    kept_bytes bigint;
BEGIN
    PERFORM lock_blobs(tenant);
    SELECT user_id, folder INTO owner FROM collections WHERE (tenant_id, id) = (tenant, collection);
    IF NOT FOUND THEN
        RETURN 'gone';
    END IF;
    SELECT * INTO old FROM collection_documents
        WHERE (tenant_id, collection_id, name) = (tenant, collection, given.name);
    IF old.status <> 'failed'
       AND (old.content_hash, old.content_type) = (given.content_hash, given.content_type) THEN
        UPDATE collection_documents SET stamp = given.stamp WHERE (tenant_id, id) = (tenant, old.id);
        RETURN 'unchanged';
    END IF;
    SELECT count(*), coalesce(sum(d.bytes), 0) INTO kept, kept_bytes
        FROM collection_documents d JOIN collections c
            ON (c.tenant_id, c.id) = (d.tenant_id, d.collection_id)
        WHERE (c.tenant_id, c.user_id) = (tenant, owner.user_id) AND c.folder = ''
            AND d.id IS DISTINCT FROM old.id;
    IF owner.folder <> '' THEN  -- an operator named it
        NULL;
    ELSIF kept >= max_documents THEN
        RETURN 'count';
    ELSIF kept_bytes + given.bytes > max_bytes THEN
        RETURN 'bytes';
    END IF;
    PERFORM drop_documents(tenant, ARRAY[old.id]);
    INSERT INTO collection_documents
        (tenant_id, collection_id, name, id, content_hash, content_type, bytes, raw_key, stamp, status, failure)
        VALUES (tenant, collection, given.name, given.id, given.content_hash, given.content_type,
                given.bytes, given.raw_key, given.stamp, coalesce(given.status, 'waiting'),
                given.failure);
    INSERT INTO blob_references SELECT tenant, given.id, given.raw_key WHERE given.raw_key <> '';
    DELETE FROM loose_blobs WHERE (tenant_id, key) = (tenant, given.raw_key);
    RETURN 'saved';
END $$;

-- Deletes a collection with all that is in it.
CREATE FUNCTION drop_collection(tenant text, collection text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_blobs(tenant);
    PERFORM drop_documents(tenant, ARRAY(
        SELECT id FROM collection_documents WHERE (tenant_id, collection_id) = (tenant, collection)));
    DELETE FROM collections WHERE (tenant_id, id) = (tenant, collection);
END $$;

-- Begins the next document of a tenant that waits, else one that an older reader read: of the collection that
-- has waited longest. Returns it with its collection; no row: there is none.
CREATE FUNCTION begin_document(tenant text, version int) RETURNS SETOF jsonb
LANGUAGE plpgsql AS $$
DECLARE
    chosen collection_documents%ROWTYPE;
BEGIN
    SELECT d.* INTO chosen
        FROM collection_documents d JOIN collections c
            ON (c.tenant_id, c.id) = (d.tenant_id, d.collection_id)
        WHERE d.tenant_id = tenant AND NOT d.is_claimed AND (d.status = 'waiting' OR is_outdated(d, version))
        ORDER BY d.status <> 'waiting', c.served_at, d.added_at, d.name LIMIT 1 FOR UPDATE OF d SKIP LOCKED;
    IF FOUND THEN
        UPDATE collection_documents SET is_claimed = true, attempts = attempts + 1,
                status = CASE status WHEN 'waiting' THEN 'reading' ELSE status END
            WHERE (tenant_id, id) = (tenant, chosen.id);
        UPDATE collections SET served_at = clock_timestamp()
            WHERE (tenant_id, id) = (tenant, chosen.collection_id);
        RETURN QUERY SELECT to_jsonb(chosen) || jsonb_build_object('collection', c.name, 'user_id', c.user_id)
            FROM collections c WHERE (c.tenant_id, c.id) = (tenant, chosen.collection_id);
    END IF;
END $$;

-- Inserts the rows of a document of a scope, whose text begins anew in the index. What waits to be sorted
-- into it is sorted at once, or else each term of a search would read all of that.
CREATE FUNCTION insert_index_rows(tenant text, new_scope text, document text, parts jsonb) RETURNS void
LANGUAGE sql AS $$
    DELETE FROM index_rows WHERE (tenant_id, document_id) = (tenant, document);
    INSERT INTO index_rows
        (tenant_id, scope, document_id, position, page, start, stop, name, head, text, length,
         head_terms, text_terms, words)
        SELECT tenant, new_scope, document, nth, (part ->> 'page')::int, (part ->> 'start')::int,
            (part ->> 'stop')::int, part ->> 'name', part ->> 'head', part ->> 'text',
            (part ->> 'length')::int, part -> 'head_terms', part -> 'text_terms',
            array_to_tsvector(ARRAY(
                SELECT jsonb_object_keys(part -> 'head_terms')
                UNION ALL SELECT jsonb_object_keys(part -> 'text_terms')
                UNION ALL SELECT unnest(ARRAY[term, '#' || term])
                    FROM jsonb_array_elements_text(part -> 'name_terms') AS named (term)
                UNION ALL SELECT '@' || new_scope))
        FROM jsonb_array_elements(parts) WITH ORDINALITY AS each (part, nth);
    SELECT gin_clean_pending_list('index_rows_words')
$$;

-- Keeps what was read of a document, in place of what an older reader read. Returns false where it was
-- deleted or replaced meanwhile.
CREATE FUNCTION finish_document(
    tenant text, document text, source jsonb, page_count int, parts jsonb, version int
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    found_scope text;
    old_key text;
BEGIN
    PERFORM lock_blobs(tenant);
    SELECT body ->> 'text_key' INTO old_key FROM collection_documents WHERE (tenant_id, id) = (tenant, document);
    UPDATE collection_documents
        SET status = 'indexed', body = source, pages = page_count, failure = NULL, reader = version,
            attempts = 0, is_claimed = false
        WHERE (tenant_id, id) = (tenant, document) RETURNING collection_id INTO found_scope;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF old_key <> source ->> 'text_key' THEN
        DELETE FROM blob_references WHERE (tenant_id, holder, key) = (tenant, document, old_key);
        INSERT INTO loose_blobs (tenant_id, key, since) SELECT tenant, old_key, '-infinity'
            WHERE NOT EXISTS (SELECT FROM blob_references b WHERE (b.tenant_id, b.key) = (tenant, old_key))
            ON CONFLICT (tenant_id, key) DO UPDATE SET since = '-infinity';
    END IF;
    PERFORM insert_index_rows(tenant, found_scope, document, parts);
    INSERT INTO blob_references VALUES (tenant, document, source ->> 'text_key') ON CONFLICT DO NOTHING;
    DELETE FROM loose_blobs WHERE (tenant_id, key) = (tenant, source ->> 'text_key');
    RETURN true;
END $$;
