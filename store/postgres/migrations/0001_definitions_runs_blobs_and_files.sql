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
    key_id text GENERATED ALWAYS AS (request ->> 'key_id') STORED,  -- of the key that started it
    temporary boolean NOT NULL
        GENERATED ALWAYS AS (coalesce(request ->> 'temp_workflow' = 'true', false)) STORED,
    list_order timestamptz NOT NULL
        GENERATED ALWAYS AS (coalesce(ended_at, 'infinity')) STORED,  -- running runs first
    parent_id text GENERATED ALWAYS AS (request ->> 'from_run') STORED,
    PRIMARY KEY (tenant_id, id)
);
-- The list of runs, whole and by each of its filters.
CREATE INDEX ON runs (tenant_id, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs (tenant_id, user_id, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs (tenant_id, status, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs (tenant_id, definition_id, list_order DESC, started_at DESC, id DESC);
CREATE INDEX ON runs USING gin (ticker_keys(tenant_id, request));
CREATE INDEX ON runs (tenant_id, parent_id, started_at DESC);
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
CREATE INDEX ON phase_executions (tenant_id, expires_at) WHERE expires_at IS NOT NULL;

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
