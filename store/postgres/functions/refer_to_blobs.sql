-- Adds references of a holder. Returns false, and adds none, if a key of another holder is nobody's
-- any more: its blob may be gone.
CREATE OR REPLACE FUNCTION refer_to_blobs(tenant text, new_holder text, keys text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_blobs(tenant);
    IF EXISTS (SELECT FROM unnest(keys) AS new (key)
               WHERE split_part(new.key, '/', 1) <> new_holder AND NOT EXISTS (
                   SELECT FROM blob_references b WHERE b.tenant_id = tenant AND b.key = new.key)) THEN
        RETURN false;
    END IF;
    INSERT INTO blob_references SELECT tenant, new_holder, unnest(keys) ON CONFLICT DO NOTHING;
    RETURN true;
END $$;
