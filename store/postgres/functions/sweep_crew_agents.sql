-- Names the agents of every tenant's crews, which are roles that settings may name.
CREATE OR REPLACE FUNCTION sweep_crew_agents() RETURNS SETOF jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT jsonb_path_query(body, '$.phases[*].config.agents[*].id') FROM definitions
$$;
