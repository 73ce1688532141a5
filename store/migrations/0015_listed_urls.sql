-- The pages that a run may fetch: what its searches listed and what the pages it read link to, by
-- the sha256 of their addresses.
CREATE TABLE listed_urls (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    url_hash bytea NOT NULL,
    PRIMARY KEY (tenant_id, run_id, url_hash),
    FOREIGN KEY (tenant_id, run_id) REFERENCES runs ON DELETE CASCADE
);
