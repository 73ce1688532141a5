-- Tells whether any tenant has a run that has not ended.
CREATE OR REPLACE FUNCTION has_live_runs() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM runs WHERE ended_at IS NULL)
$$;
