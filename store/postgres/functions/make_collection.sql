-- Makes a collection of a user within a quota, or finds the one of its name; of a folder, the one that mirrors
-- it, under a name that nobody of the tenant has. Returns its id and name, or null where the user has too many.
CREATE OR REPLACE FUNCTION make_collection(
    tenant text, owner text, new_id text, new_name text, new_folder text, max_collections int
) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    known jsonb;
    free_name text := new_name;
    nth int := 1;
BEGIN
    PERFORM lock_blobs(tenant);
    SELECT jsonb_build_object('id', id, 'name', name) INTO known FROM collections
        WHERE tenant_id = tenant AND CASE new_folder
            WHEN '' THEN name = new_name AND (user_id = owner OR folder <> '')
            ELSE (user_id, folder) = (owner, new_folder) END
        LIMIT 1;
    IF FOUND THEN
        RETURN known;
    END IF;
    IF (SELECT count(*) FROM collections WHERE (tenant_id, user_id) = (tenant, owner)) >= max_collections THEN
        RETURN NULL;
    END IF;
    WHILE EXISTS (SELECT FROM collections WHERE (tenant_id, name) = (tenant, free_name) AND new_folder <> '') LOOP
        nth := nth + 1;
        free_name := left(new_name, 70) || ' (' || nth || ')';
    END LOOP;
    INSERT INTO collections (tenant_id, id, user_id, name, folder)
        VALUES (tenant, new_id, owner, free_name, new_folder);
    RETURN jsonb_build_object('id', new_id, 'name', free_name);
END $$;
