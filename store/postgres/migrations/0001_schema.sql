-- Columns hold what queries ask for; beside them the whole contract is kept as jsonb.

CREATE EXTENSION IF NOT EXISTS vector;

-- The companies that a start is about, each behind its tenant: the index of them is everybody's.
CREATE FUNCTION ticker_keys(tenant_id text, request jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ARRAY(SELECT DISTINCT tenant_id || '/' || upper(value #>> '{}') FROM jsonb_array_elements(
        jsonb_path_query_array(request, '$.inputs.ticker')
        || jsonb_path_query_array(request, '$.inputs.tickers[*]')) AS value)
$$;


-- Definitions ---------------------------------------------------------------------------------

-- Who may change a definition, and its newest version. The row outlives a deletion: an id that is
-- used again goes on counting, so that a run's `id` and `version` mean one text for ever.
CREATE TABLE definition_ids (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    newest int NOT NULL DEFAULT 1,
    deleted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE definitions (
    tenant_id text NOT NULL,
    id text NOT NULL,
    version int NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id, version)
);

-- What a tenant starts where no definition is named; none: the first preset.
CREATE TABLE default_definitions (
    tenant_id text PRIMARY KEY,
    definition_id text NOT NULL
);


-- Runs ----------------------------------------------------------------------------------------

CREATE TABLE runs (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL DEFAULT '',
    definition_id text NOT NULL DEFAULT '',
    definition_version int NOT NULL DEFAULT 1,
    request jsonb NOT NULL DEFAULT '{}',
    opened jsonb,
    status text NOT NULL DEFAULT 'running',
    version int NOT NULL DEFAULT -1,  -- of the newest batch
    snapshot jsonb NOT NULL DEFAULT '{}',
    usage jsonb NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    last_seq bigint NOT NULL DEFAULT 0,
    last_hash bytea NOT NULL DEFAULT '',
    closed boolean NOT NULL DEFAULT false,  -- its log has its last event
    embedding vector,  -- of the question; vectors of one embedder alone are comparable
    embedder text NOT NULL DEFAULT '',
    temporary boolean NOT NULL
        GENERATED ALWAYS AS (coalesce(request ->> 'temp_workflow' = 'true', false)) STORED,
    list_order timestamptz NOT NULL
        GENERATED ALWAYS AS (coalesce(ended_at, 'infinity')) STORED,  -- running runs first
    PRIMARY KEY (tenant_id, id)
);
-- The list of runs, whole and by each of its filters.
CREATE INDEX ON runs (tenant_id, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs (tenant_id, user_id, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs (tenant_id, status, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs (tenant_id, definition_id, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs USING gin (ticker_keys(tenant_id, request));
CREATE INDEX ON runs (tenant_id, (request ->> 'from_run'), started_at DESC);
-- Live ones, removals that are due, and reports that may answer a question again.
CREATE INDEX ON runs (tenant_id, definition_id) WHERE ended_at IS NULL;
CREATE INDEX ON runs (temporary, ended_at) WHERE closed;
CREATE INDEX ON runs (tenant_id, user_id, definition_id, definition_version, ended_at);

CREATE TABLE phase_executions (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    phase_id text NOT NULL,
    status text NOT NULL,
    body jsonb NOT NULL,
    cache_key text,  -- the hash of all that the phase read: later runs may take its output
    expires_at timestamptz,
    PRIMARY KEY (tenant_id, run_id, phase_id)
);
CREATE INDEX ON phase_executions (tenant_id, cache_key, expires_at DESC)
    WHERE cache_key IS NOT NULL;
CREATE INDEX ON phase_executions (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE sources (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    position int NOT NULL,
    body jsonb NOT NULL,
    PRIMARY KEY (tenant_id, run_id, position)
);

-- The pages that a run's agents may fetch: what its searches listed and what the pages it read link
-- to, by the sha256 of their addresses without scheme, `www.` and closing slashes; read as they were listed.
CREATE TABLE listed_urls (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    url_hash bytea NOT NULL,
    url text NOT NULL,
    conversation bytea, -- of the agent whose search listed it first; null: only pages link to it
    search bytea, -- that search
    PRIMARY KEY (tenant_id, run_id, url_hash),
    FOREIGN KEY (tenant_id, run_id) REFERENCES runs ON DELETE CASCADE
);

-- An artifact's id follows from what it holds: rows are only ever added.
CREATE TABLE artifacts (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    id text NOT NULL,
    position int NOT NULL,
    body jsonb NOT NULL,
    PRIMARY KEY (tenant_id, run_id, id)
);

-- The blobs that a run or file refers to: its own, and those that it took over from another holder
-- of the same tenant. A key is `holder/sha256`; the blob stays for as long as any row has it.
CREATE TABLE blob_references (
    tenant_id text NOT NULL,
    holder text NOT NULL,
    key text NOT NULL,
    PRIMARY KEY (tenant_id, holder, key)
);
CREATE INDEX ON blob_references (tenant_id, key);

-- References are added and removed one transaction at a time for each tenant, so that a blob is
-- either found to be needed, or no longer there to be taken over.
CREATE FUNCTION lock_blobs(tenant text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtext('blobs'), hashtext(tenant))
$$;

-- Adds references of a holder. Returns false, and adds none, if a key of another holder is nobody's
-- any more: its blob may be gone.
CREATE FUNCTION refer_to_blobs(tenant text, new_holder text, keys text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_blobs(tenant);
    IF EXISTS (SELECT FROM unnest(keys) AS new (key)
               WHERE split_part(new.key, '/', 1) <> new_holder AND NOT EXISTS (
                   SELECT FROM blob_references b WHERE b.tenant_id = tenant AND b.key = new.key)) THEN
        RETURN false;
    END IF;
    INSERT INTO blob_references SELECT tenant, new_holder, unnest(keys) ON CONFLICT DO NOTHING;
    RETURN true;
END $$;

-- Removes the references of holders and returns the keys that nobody refers to any more; the index of
-- their texts goes with them.
CREATE FUNCTION release_blobs(tenant text, holders text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    released text[];
BEGIN
    PERFORM lock_blobs(tenant);
    WITH gone AS (DELETE FROM blob_references
        WHERE tenant_id = tenant AND holder = ANY(holders) RETURNING key)
    SELECT coalesce(array_agg(DISTINCT key), '{}') INTO released FROM gone;
    released := ARRAY(SELECT key FROM unnest(released) AS each (key) WHERE NOT EXISTS (
        SELECT FROM blob_references b WHERE b.tenant_id = tenant AND b.key = each.key));
    DELETE FROM index_rows WHERE tenant_id = tenant
        AND document_id IN (SELECT split_part(key, '/', 1) FROM unnest(released) AS each (key));
    RETURN released;
END $$;

-- Documents that users gave for a run to come; `opened` of that run holds what it needs of them.
CREATE TABLE files (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    body jsonb NOT NULL,
    bytes bigint NOT NULL GENERATED ALWAYS AS ((body ->> 'bytes')::bigint) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON files (tenant_id, user_id);
CREATE INDEX ON files (created_at);

-- Says which quota of a user one more file would exceed, `count` or `bytes`; null: none.
CREATE FUNCTION find_exceeded_quota(
    tenant text, owner text, file_id text, size bigint, max_files int, max_bytes bigint
) RETURNS text
LANGUAGE sql AS $$
    SELECT CASE WHEN count(*) >= max_files THEN 'count'
        WHEN coalesce(sum(bytes), 0) + size > max_bytes THEN 'bytes' END
    FROM files WHERE (tenant_id, user_id) = (tenant, owner) AND id <> file_id
$$;

-- Saves a file within its user's quotas, or says which one it would exceed. One file of a tenant is
-- saved at a time, so that uploads at once do not exceed a quota together.
CREATE FUNCTION save_file(
    tenant text, owner text, file_id text, document jsonb, blobs text[], parts jsonb,
    max_files int, max_bytes bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    size bigint := document ->> 'bytes';
    exceeded text;
BEGIN
    PERFORM lock_blobs(tenant);
    exceeded := find_exceeded_quota(tenant, owner, file_id, size, max_files, max_bytes);
    IF exceeded IS NOT NULL THEN
        RETURN exceeded;
    END IF;
    INSERT INTO files (tenant_id, id, user_id, body) VALUES (tenant, file_id, owner, document)
        ON CONFLICT (tenant_id, id) DO UPDATE SET created_at = now();
    INSERT INTO blob_references SELECT tenant, file_id, unnest(blobs) ON CONFLICT DO NOTHING;
    PERFORM insert_index_rows(tenant, file_id, file_id, parts);
    RETURN NULL;
END $$;

-- Collections ---------------------------------------------------------------------------------

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


CREATE TABLE startups (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_accessed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON startups (tenant_id, user_id, last_accessed DESC);

-- Keys of the gateway, sessions of browsers and share links, each kept as its hash alone. A revoked
-- one stays: from the first key on everybody needs one.
CREATE TABLE api_keys (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL DEFAULT '',
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    last_used_at timestamptz,
    expires_at timestamptz,
    run_id text,  -- of a share link: the one run whose report it opens
    kind text NOT NULL DEFAULT 'key' CHECK (kind IN ('key', 'session', 'link')),
    parent_id text,  -- the key by which it was made, and with which it is revoked
    PRIMARY KEY (tenant_id, id),
    CHECK ((kind = 'link') = (run_id IS NOT NULL))
);
CREATE INDEX ON api_keys (tenant_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX ON api_keys (tenant_id, parent_id) WHERE parent_id IS NOT NULL;


-- Removed runs --------------------------------------------------------------------------------

-- A run that was removed: what it cost stays, nothing of what it was about. From the moment the row
-- is here its id is taken and nothing more is written for it; `done_at` says that blobs and
-- Temporal's execution are gone too.
CREATE TABLE removals (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    user_id text NOT NULL,
    definition_id text NOT NULL,
    started_at timestamptz NOT NULL,
    offline boolean NOT NULL,
    spent jsonb NOT NULL,
    blobs text[] NOT NULL,  -- that it referred to and nobody else does
    begun_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz,
    PRIMARY KEY (tenant_id, run_id)
);
CREATE INDEX ON removals (begun_at) WHERE done_at IS NULL;

CREATE FUNCTION is_removed(tenant text, run text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM removals WHERE (tenant_id, run_id) = (tenant, run))
$$;


-- Events --------------------------------------------------------------------------------------

-- A run's log: `seq` is contiguous from 1, `hash` covers the event and the hash before it. `ahead` is
-- the number of an event that a call brought along before the recorder came with its rows: until
-- then it is not shown, nor what follows it.
CREATE TABLE events (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    seq bigint NOT NULL,
    key text NOT NULL,
    body jsonb NOT NULL,
    hash bytea NOT NULL,
    ahead int,
    PRIMARY KEY (tenant_id, run_id, seq),
    UNIQUE (tenant_id, run_id, key)
);
CREATE INDEX ON events (tenant_id, run_id, seq) WHERE ahead IS NOT NULL;

-- How far a log is shown that goes on to `last_seq`.
CREATE FUNCTION shown_seq(tenant text, run text, last_seq bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT coalesce(min(seq) - 1, last_seq) FROM events
    WHERE tenant_id = tenant AND run_id = run AND ahead IS NOT NULL
$$;

-- Appends those of a batch whose key is new, up to the run's last event; returns whether the log
-- grew. The one writer of events. Whoever writes has a clock of its own, and some write late: an
-- event is never dated before the one it follows.
CREATE FUNCTION append_events(tenant text, run text, batch jsonb, ahead_from int DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    log record;
    first_seq bigint;
    latest text;
    event jsonb;
    place int;
    chained bytea;
BEGIN
    INSERT INTO runs (tenant_id, id) VALUES (tenant, run) ON CONFLICT DO NOTHING;
    -- The row's lock is what makes seq contiguous: writers of one run queue here.
    SELECT last_seq AS seq, last_hash AS hash, closed INTO log
        FROM runs WHERE tenant_id = tenant AND id = run FOR UPDATE;
    -- Only under the lock: a removal may have been under way.
    IF is_removed(tenant, run) THEN
        DELETE FROM runs WHERE tenant_id = tenant AND id = run;
        RETURN false;
    END IF;
    first_seq := log.seq;
    SELECT body ->> 'at' INTO latest
        FROM events WHERE tenant_id = tenant AND run_id = run AND seq = log.seq;
    FOR event, place IN SELECT * FROM jsonb_array_elements(batch) WITH ORDINALITY LOOP
        EXIT WHEN log.closed;
        IF (event ->> 'at')::timestamptz < latest::timestamptz THEN
            event := jsonb_set(event, '{at}', to_jsonb(latest));
        END IF;
        INSERT INTO events (tenant_id, run_id, seq, key, body, hash, ahead)
            VALUES (tenant, run, log.seq + 1, event ->> 'key', event - 'key',
                    sha256(log.hash || convert_to(event::text, 'UTF8')),
                    ahead_from + place - 1)
            ON CONFLICT (tenant_id, run_id, key) DO NOTHING
            RETURNING hash INTO chained;
        IF FOUND THEN
            log.seq := log.seq + 1;
            log.hash := chained;
            latest := event ->> 'at';
            log.closed := event ->> 'type' = 'workflow_complete';
        END IF;
    END LOOP;
    IF log.seq > first_seq THEN
        UPDATE runs SET last_seq = log.seq, last_hash = log.hash, closed = log.closed
            WHERE tenant_id = tenant AND id = run;
    END IF;
    RETURN log.seq > first_seq;
END $$;

-- Events that are not as they were appended, and runs whose last ones are missing: none, unless
-- somebody altered the tables.
CREATE VIEW altered_events AS
    SELECT tenant_id, run_id, seq FROM (
        SELECT *, sha256(lag(hash, 1, '') OVER (PARTITION BY tenant_id, run_id ORDER BY seq)
            || convert_to((body || jsonb_build_object('key', key))::text, 'UTF8')) AS expected
        FROM events) AS chain
    WHERE hash <> expected
    UNION ALL
    SELECT r.tenant_id, r.id, r.last_seq FROM runs r
        LEFT JOIN events e ON (e.tenant_id, e.run_id, e.seq) = (r.tenant_id, r.id, r.last_seq)
    WHERE r.last_seq > 0 AND r.last_hash IS DISTINCT FROM e.hash;

-- Takes one call of the recorder: events always, rows unless newer ones are there. Returns whether
-- more of the log is shown.
CREATE FUNCTION record_batch(batch jsonb, blobs text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    tenant text := batch ->> 'tenant_id';
    run text := batch ->> 'run_id';
    grew boolean := append_events(tenant, run, batch -> 'events');
BEGIN
    UPDATE events SET ahead = NULL
        WHERE tenant_id = tenant AND run_id = run AND ahead <= (batch ->> 'version')::int;
    grew := grew OR FOUND;
    UPDATE runs
        SET version = (batch ->> 'version')::int,
            status = batch ->> 'status',
            snapshot = batch -> 'snapshot',
            usage = batch -> 'usage',
            ended_at = (batch ->> 'ended_at')::timestamptz
        WHERE tenant_id = tenant AND id = run AND version <= (batch ->> 'version')::int;
    IF NOT FOUND THEN
        RETURN grew;
    END IF;

    PERFORM lock_blobs(tenant);
    INSERT INTO blob_references SELECT tenant, run, unnest(blobs) ON CONFLICT DO NOTHING;
    INSERT INTO phase_executions
        (tenant_id, run_id, phase_id, status, body, cache_key, expires_at)
        SELECT tenant, run, phase ->> 'id', phase ->> 'status', phase, phase ->> 'cache_key',
            (phase ->> 'expires_at')::timestamptz
        FROM jsonb_array_elements(batch -> 'phases') AS phase
        ON CONFLICT (tenant_id, run_id, phase_id) DO UPDATE
        SET (status, body, cache_key, expires_at)
            = (excluded.status, excluded.body, excluded.cache_key, excluded.expires_at);
    INSERT INTO sources (tenant_id, run_id, position, body)
        SELECT tenant, run, nth, source
        FROM jsonb_array_elements(batch -> 'sources') WITH ORDINALITY AS each (source, nth)
        ON CONFLICT (tenant_id, run_id, position) DO UPDATE SET body = excluded.body
        WHERE sources.body <> excluded.body;
    INSERT INTO artifacts (tenant_id, run_id, id, position, body)
        SELECT tenant, run, artifact ->> 'id', nth, artifact
        FROM jsonb_array_elements(batch -> 'artifacts') WITH ORDINALITY AS each (artifact, nth)
        ON CONFLICT DO NOTHING;

    IF batch ->> 'ended_at' IS NOT NULL THEN
        PERFORM close_claims(tenant, run);
    END IF;

    -- Each batch with a cache key clears up to a hundred expired ones, so that there are never many
    -- more of them than count; those that another session is clearing are left to it.
    IF batch @? '$.phases[*] ? (@.cache_key != null)' THEN
        UPDATE phase_executions SET cache_key = NULL, expires_at = NULL
        WHERE (tenant_id, run_id, phase_id) IN (
            SELECT tenant_id, run_id, phase_id FROM phase_executions
            WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN grew;
END $$;

-- Batches that record_batch refused for good, each as its JSON, for an operator to look at.
CREATE TABLE rejected_batches (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    version int NOT NULL,
    reason text NOT NULL,
    batch text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, run_id, version)
);


-- Takes a run out of every table at once and leaves its row in `removals`. Returns 'removed', also
-- if it was before; 'unknown'; 'live', which `lost` says it cannot be; or 'busy', while a process
-- is still at one of its calls: what is being paid for is to be counted.
CREATE FUNCTION remove_run(tenant text, run text, lost boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    found_run runs%ROWTYPE;
BEGIN
    PERFORM lock_calls(tenant, run);
    SELECT * INTO found_run FROM runs WHERE tenant_id = tenant AND id = run FOR UPDATE;
    IF NOT FOUND THEN
        RETURN CASE WHEN is_removed(tenant, run) THEN 'removed' ELSE 'unknown' END;
    END IF;
    IF NOT (found_run.closed OR lost) THEN
        RETURN 'live';
    END IF;
    IF EXISTS (SELECT FROM calls WHERE tenant_id = tenant AND run_id = run
               AND settled_at IS NULL AND owner IS NOT NULL AND owner_lives(owner)) THEN
        RETURN 'busy';
    END IF;
    INSERT INTO removals
        (tenant_id, run_id, user_id, definition_id, started_at, offline, spent, blobs)
        SELECT tenant, run, found_run.user_id, found_run.definition_id, found_run.started_at,
            coalesce((found_run.opened -> 'terms' -> 'offline')::boolean, false),
            (SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]') FROM (
                SELECT model, calls, input_tokens, output_tokens, usd FROM spend
                WHERE tenant_id = tenant AND run_id = run) s),
            release_blobs(tenant, ARRAY[run] || ARRAY(
                SELECT id FROM files WHERE tenant_id = tenant AND user_id IN (found_run.user_id, '')
                    AND found_run.request -> 'files' ? id));
    DELETE FROM phase_executions WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM rejected_batches WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM events WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM calls WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM sources WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM artifacts WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM api_keys WHERE tenant_id = tenant AND run_id = run;
    DELETE FROM files WHERE tenant_id = tenant AND user_id IN (found_run.user_id, '')
        AND found_run.request -> 'files' ? id;
    DELETE FROM runs WHERE tenant_id = tenant AND id = run;
    RETURN 'removed';
END $$;
