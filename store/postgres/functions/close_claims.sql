-- Closes the claims of a run that has ended, whose owner has died: nobody will come back to them.
CREATE OR REPLACE FUNCTION close_claims(tenant text, run text) RETURNS void
LANGUAGE sql AS $$
    UPDATE calls c SET owner = NULL, reserved_usd = 0, error = 'worker-lost'
    FROM runs r
    WHERE c.owner IS NOT NULL AND (r.tenant_id, r.id) = (c.tenant_id, c.run_id) AND r.closed
        AND (c.tenant_id, c.run_id) = (tenant, run) AND NOT owner_lives(c.owner)
$$;
