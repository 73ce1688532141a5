-- Claims and the removal of one run go one at a time, until the transaction ends.
CREATE OR REPLACE FUNCTION lock_calls(tenant text, run text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtext('calls'), hashtext(tenant || '/' || run))
$$;
