-- When a run's end came to be known here: who pages through a list goes by this clock alone.
ALTER TABLE runs ADD COLUMN end_recorded_at timestamptz;
UPDATE runs SET end_recorded_at = ended_at WHERE ended_at IS NOT NULL;

CREATE FUNCTION note_end() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    NEW.end_recorded_at := clock_timestamp();
    RETURN NEW;
END $$;

CREATE TRIGGER runs_note_end BEFORE UPDATE OF ended_at ON runs FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION note_end();

DROP INDEX runs_by_ticker;
CREATE INDEX runs_by_ticker ON runs (tenant_id, upper(request -> 'inputs' ->> 'ticker'));
