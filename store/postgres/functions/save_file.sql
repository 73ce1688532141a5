-- Saves a file within its user's quotas, or says which one it would exceed. One file of a tenant is
-- saved at a time, so that uploads at once do not exceed a quota together.
CREATE OR REPLACE FUNCTION save_file(
    tenant text, owner text, file_id text, document jsonb, blobs text[], parts jsonb,
    max_files int, max_bytes bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    size bigint := document ->> 'bytes';
    exceeded text;
BEGIN
    PERFORM lock_blobs(tenant);
    exceeded := find_exceeded_quota(tenant, owner, file_id, size, max_files, max_bytes);
    IF exceeded IS NOT NULL THEN
        RETURN exceeded;
    END IF;
    INSERT INTO files (tenant_id, id, user_id, body) VALUES (tenant, file_id, owner, document)
        ON CONFLICT (tenant_id, id) DO UPDATE SET created_at = now();
    INSERT INTO blob_references SELECT tenant, file_id, unnest(blobs) ON CONFLICT DO NOTHING;
    PERFORM insert_index_rows(tenant, file_id, file_id, parts);
    RETURN NULL;
END $$;
