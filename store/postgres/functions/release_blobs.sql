-- Removes the references of holders and returns the keys that nobody refers to any more; the index of
-- their texts goes with them.
CREATE OR REPLACE FUNCTION release_blobs(tenant text, holders text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    released text[];
BEGIN
    PERFORM lock_blobs(tenant);
    WITH gone AS (DELETE FROM blob_references
        WHERE tenant_id = tenant AND holder = ANY(holders) RETURNING key)
    SELECT coalesce(array_agg(DISTINCT key), '{}') INTO released FROM gone;
    released := ARRAY(SELECT key FROM unnest(released) AS each (key) WHERE NOT EXISTS (
        SELECT FROM blob_references b WHERE b.tenant_id = tenant AND b.key = each.key));
    DELETE FROM index_rows WHERE tenant_id = tenant
        AND document_id = ANY(ARRAY(SELECT split_part(key, '/', 1) FROM unnest(released) AS each (key)));
    RETURN released;
END $$;
