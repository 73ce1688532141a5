-- A run names the one it was started from; this is how that one finds its children.
CREATE INDEX runs_by_parent ON runs (tenant_id, (request ->> 'from_run'), started_at DESC);
