-- Inserts the rows of a document of a scope, whose text begins anew in the index. What waits to be sorted
-- into it is sorted at once, or else each term of a search would read all of that.
CREATE OR REPLACE FUNCTION insert_index_rows(tenant text, new_scope text, document text, parts jsonb) RETURNS void
LANGUAGE sql AS $$
    DELETE FROM index_rows WHERE (tenant_id, document_id) = (tenant, document);
    INSERT INTO index_rows
        (tenant_id, scope, document_id, position, page, start, stop, name, head, text, length,
         head_terms, text_terms, words)
        SELECT tenant, new_scope, document, nth, (part ->> 'page')::int, (part ->> 'start')::int,
            (part ->> 'stop')::int, part ->> 'name', part ->> 'head', part ->> 'text',
            (part ->> 'length')::int, part -> 'head_terms', part -> 'text_terms',
            array_to_tsvector(ARRAY(
                SELECT jsonb_object_keys(part -> 'head_terms')
                UNION ALL SELECT jsonb_object_keys(part -> 'text_terms')
                UNION ALL SELECT unnest(ARRAY[term, '#' || term])
                    FROM jsonb_array_elements_text(part -> 'name_terms') AS named (term)
                UNION ALL SELECT '@' || new_scope))
        FROM jsonb_array_elements(parts) WITH ORDINALITY AS each (part, nth);
    SELECT sort_index_rows()
$$;
