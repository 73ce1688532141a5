-- The step cache: a later run finds what a phase gave by a hash of all that the phase read, until
-- that expires. Only rows that have such a hash are in an index.
ALTER TABLE phase_executions ADD COLUMN cache_key text, ADD COLUMN expires_at timestamptz;

CREATE INDEX phases_by_cache_key ON phase_executions (tenant_id, cache_key)
    WHERE cache_key IS NOT NULL;
CREATE INDEX phases_by_expiry ON phase_executions (expires_at) WHERE expires_at IS NOT NULL;

-- The columns say what the body says, whoever wrote it and in whatever order batches came: a phase
-- that is run again takes its key back with its output.
CREATE FUNCTION key_phase() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    NEW.cache_key := NEW.body ->> 'cache_key';
    NEW.expires_at := (NEW.body ->> 'expires_at')::timestamptz;
    RETURN NEW;
END $$;

CREATE TRIGGER key_phase BEFORE INSERT OR UPDATE OF body ON phase_executions
    FOR EACH ROW EXECUTE FUNCTION key_phase();

-- Whoever keeps a key clears up to a hundred that have expired, so that there are never many more
-- of them than count; nobody waits for somebody else who does the same.
ALTER FUNCTION record_batch(jsonb) RENAME TO record_run;

CREATE FUNCTION record_batch(batch jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    grew boolean := record_run(batch);
BEGIN
    IF batch @? '$.phases[*] ? (@.cache_key != null)' THEN
        UPDATE phase_executions SET cache_key = NULL, expires_at = NULL
        WHERE (tenant_id, run_id, phase_id) IN (
            SELECT tenant_id, run_id, phase_id FROM phase_executions
            WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN grew;
END $$;
