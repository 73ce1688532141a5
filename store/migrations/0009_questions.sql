-- What a run was asked, as a vector, for runs that may be answered by its report. Vectors of one
-- embedder alone can be compared; a user's runs of one definition are few enough to look through.
CREATE EXTENSION IF NOT EXISTS vector;
ALTER TABLE runs ADD COLUMN embedding vector, ADD COLUMN embedder text NOT NULL DEFAULT '';

CREATE INDEX runs_by_question ON runs (tenant_id, user_id, definition_id, definition_version)
    WHERE embedding IS NOT NULL;
