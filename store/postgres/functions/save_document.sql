-- Saves a document under its name, in place of another version, within the quotas of the
-- collection's owner. Returns `saved`, `unchanged`, `gone` where the collection was deleted, or the
-- quota that it would exceed: `count` or `bytes`.
CREATE OR REPLACE FUNCTION save_document(
    tenant text, collection text, document jsonb, max_documents int, max_bytes bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    given collection_documents%ROWTYPE := jsonb_populate_record(NULL::collection_documents, document);
    old collection_documents%ROWTYPE;
    owner record;
    kept bigint;
    kept_bytes bigint;
BEGIN
    PERFORM lock_blobs(tenant);
    SELECT user_id, folder INTO owner FROM collections WHERE (tenant_id, id) = (tenant, collection);
    IF NOT FOUND THEN
        RETURN 'gone';
    END IF;
    SELECT * INTO old FROM collection_documents
        WHERE (tenant_id, collection_id, name) = (tenant, collection, given.name);
    IF old.status <> 'failed'
       AND (old.content_hash, old.content_type) = (given.content_hash, given.content_type) THEN
        UPDATE collection_documents SET stamp = given.stamp WHERE (tenant_id, id) = (tenant, old.id);
        RETURN 'unchanged';
    END IF;
    SELECT count(*), coalesce(sum(d.bytes), 0) INTO kept, kept_bytes
        FROM collection_documents d JOIN collections c
            ON (c.tenant_id, c.id) = (d.tenant_id, d.collection_id)
        WHERE (c.tenant_id, c.user_id) = (tenant, owner.user_id) AND c.folder = ''
            AND d.id IS DISTINCT FROM old.id;
    IF owner.folder <> '' THEN  -- an operator named it
        NULL;
    ELSIF kept >= max_documents THEN
        RETURN 'count';
    ELSIF kept_bytes + given.bytes > max_bytes THEN
        RETURN 'bytes';
    END IF;
    PERFORM drop_documents(tenant, ARRAY[old.id]);
    INSERT INTO collection_documents
        (tenant_id, collection_id, name, id, content_hash, content_type, bytes, raw_key, stamp, status, failure)
        VALUES (tenant, collection, given.name, given.id, given.content_hash, given.content_type,
                given.bytes, given.raw_key, given.stamp, coalesce(given.status, 'waiting'),
                given.failure);
    INSERT INTO blob_references SELECT tenant, given.id, given.raw_key WHERE given.raw_key <> '';
    DELETE FROM loose_blobs WHERE (tenant_id, key) = (tenant, given.raw_key);
    RETURN 'saved';
END $$;
