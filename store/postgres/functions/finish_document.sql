-- Keeps what was read of a document, in place of what an older reader read. Returns false where it was
-- deleted or replaced meanwhile.
CREATE OR REPLACE FUNCTION finish_document(
    tenant text, document text, source jsonb, page_count int, parts jsonb, version int
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    found_scope text;
    old_key text;
BEGIN
    PERFORM lock_blobs(tenant);
    SELECT body ->> 'text_key' INTO old_key FROM collection_documents WHERE (tenant_id, id) = (tenant, document);
    UPDATE collection_documents
        SET status = 'indexed', body = source, pages = page_count, failure = NULL, reader = version,
            attempts = 0, is_claimed = false
        WHERE (tenant_id, id) = (tenant, document) RETURNING collection_id INTO found_scope;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF old_key <> source ->> 'text_key' THEN
        DELETE FROM blob_references WHERE (tenant_id, holder, key) = (tenant, document, old_key);
        INSERT INTO loose_blobs (tenant_id, key, since) SELECT tenant, old_key, '-infinity'
            WHERE NOT EXISTS (SELECT FROM blob_references b WHERE (b.tenant_id, b.key) = (tenant, old_key))
            ON CONFLICT (tenant_id, key) DO UPDATE SET since = '-infinity';
    END IF;
    PERFORM insert_index_rows(tenant, found_scope, document, parts);
    INSERT INTO blob_references VALUES (tenant, document, source ->> 'text_key') ON CONFLICT DO NOTHING;
    DELETE FROM loose_blobs WHERE (tenant_id, key) = (tenant, source ->> 'text_key');
    RETURN true;
END $$;
