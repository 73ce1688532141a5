-- Who may change a definition, and how far its versions have counted. The row outlives a deletion:
-- an id that is used again goes on counting, so that a run's `id` and `version` mean one text for ever.
CREATE TABLE definition_ids (
    tenant_id text NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    newest int NOT NULL DEFAULT 1,
    deleted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id)
);

INSERT INTO definition_ids (tenant_id, id, user_id, newest)
    SELECT DISTINCT ON (tenant_id, id) tenant_id, id, body ->> 'owner', version
    FROM definitions ORDER BY tenant_id, id, version DESC;

-- What a tenant starts where no definition is named; none: the first preset.
CREATE TABLE default_definitions (
    tenant_id text PRIMARY KEY,
    definition_id text NOT NULL
);

CREATE INDEX runs_by_definition ON runs (tenant_id, definition_id) WHERE ended_at IS NULL;
