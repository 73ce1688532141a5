-- What a run's agents made, in their order. An artifact's id follows from what it holds: rows are
-- only ever added, so that a batch which comes late takes nothing back.
ALTER TABLE artifacts ADD COLUMN position int NOT NULL DEFAULT 0;

ALTER FUNCTION record_batch(jsonb) RENAME TO record_rows;

CREATE FUNCTION record_batch(batch jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    grew boolean := record_rows(batch);
BEGIN
    INSERT INTO artifacts (tenant_id, run_id, id, position, body)
        SELECT batch ->> 'tenant_id', batch ->> 'run_id', artifact ->> 'id', nth, artifact
        FROM jsonb_array_elements(batch -> 'artifacts') WITH ORDINALITY AS each (artifact, nth)
        ON CONFLICT DO NOTHING;
    RETURN grew;
END $$;
