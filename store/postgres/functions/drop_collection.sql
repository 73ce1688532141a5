-- Deletes a collection with all that is in it.
CREATE OR REPLACE FUNCTION drop_collection(tenant text, collection text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_blobs(tenant);
    PERFORM drop_documents(tenant, ARRAY(
        SELECT id FROM collection_documents WHERE (tenant_id, collection_id) = (tenant, collection)));
    DELETE FROM collections WHERE (tenant_id, id) = (tenant, collection);
END $$;
