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
