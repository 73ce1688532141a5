-- An owner holds the advisory lock of its id for as long as its process lives. After a restart of
-- the server nobody holds anything: owners get a moment to come back before they count as dead.
CREATE OR REPLACE FUNCTION owner_lives(owner bigint) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
    SELECT now() < pg_postmaster_start_time() + interval '5 seconds'
        OR NOT pg_try_advisory_xact_lock(owner)
$$;
