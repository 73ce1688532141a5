-- Closes the claims of ended runs, or of one, whose owner has died: nobody will come back to them.
CREATE OR REPLACE FUNCTION close_claims(tenant text DEFAULT NULL, run text DEFAULT NULL) RETURNS void
LANGUAGE sql AS $$
    UPDATE calls c SET owner = NULL, reserved_usd = 0, error = 'worker-lost'
    FROM runs r
    WHERE c.owner IS NOT NULL AND (r.tenant_id, r.id) = (c.tenant_id, c.run_id) AND r.closed
        AND (run IS NULL OR (c.tenant_id, c.run_id) = (tenant, run))
        AND NOT owner_lives(c.owner)
$$;
