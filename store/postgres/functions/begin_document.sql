-- Begins the next document of a tenant that waits, else one that an older reader read: of the collection that
-- has waited longest. Returns it with its collection; no row: there is none.
CREATE OR REPLACE FUNCTION begin_document(tenant text, version int) RETURNS SETOF jsonb
LANGUAGE plpgsql AS $$
DECLARE
    chosen collection_documents%ROWTYPE;
BEGIN
    SELECT d.* INTO chosen
        FROM collection_documents d JOIN collections c
            ON (c.tenant_id, c.id) = (d.tenant_id, d.collection_id)
        WHERE d.tenant_id = tenant AND NOT d.is_claimed AND (d.status = 'waiting' OR is_outdated(d, version))
        ORDER BY d.status <> 'waiting', c.served_at, d.added_at, d.name LIMIT 1 FOR UPDATE OF d SKIP LOCKED;
    IF FOUND THEN
        UPDATE collection_documents SET is_claimed = true, attempts = attempts + 1,
                status = CASE status WHEN 'waiting' THEN 'reading' ELSE status END
            WHERE (tenant_id, id) = (tenant, chosen.id);
        UPDATE collections SET served_at = clock_timestamp()
            WHERE (tenant_id, id) = (tenant, chosen.collection_id);
        RETURN QUERY SELECT to_jsonb(chosen) || jsonb_build_object('collection', c.name, 'user_id', c.user_id)
            FROM collections c WHERE (c.tenant_id, c.id) = (tenant, chosen.collection_id);
    END IF;
END $$;
