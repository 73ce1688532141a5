-- References are added and removed one transaction at a time for each tenant, so that a blob is
-- either found to be needed, or no longer there to be taken over.
CREATE OR REPLACE FUNCTION lock_blobs(tenant text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtext('blobs'), hashtext(tenant))
$$;
