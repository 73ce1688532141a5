-- Removes documents of collections with their rows; their blobs become loose unless a run needs them.
CREATE OR REPLACE FUNCTION drop_documents(tenant text, ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM index_rows WHERE tenant_id = tenant AND document_id = ANY(ids);
    DELETE FROM collection_documents WHERE tenant_id = tenant AND id = ANY(ids);
    INSERT INTO loose_blobs (tenant_id, key, since)
        SELECT tenant, key, '-infinity' FROM unnest(release_blobs(tenant, ids)) AS each (key)
        ON CONFLICT (tenant_id, key) DO UPDATE SET since = '-infinity';
END $$;
