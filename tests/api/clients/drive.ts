// Drives a whole run by the generated types alone, and prints what it read as a line of JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

type State = components["schemas"]["StateView"];
type LoggedEvent = components["schemas"]["LoggedEvent"];

declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] });

function need<T>(answer: { data?: T; error?: { detail: string } }): T {
  if (answer.data === undefined) throw new Error(answer.error?.detail ?? "no answer");
  return answer.data;
}

function describe(event: LoggedEvent): string {
  switch (event.type) {
    case "AgentOutput":
      return event.payload.response.blocks.map((block) => block.text).join("");
    case "step_start":
      return event.payload.kind;
    case "workflow_complete":
      return event.payload.status;
    default:
      return event.type;
  }
}

const definitions = need(await client.GET("/v1/workflows")).items;
const kinds = definitions.flatMap((definition) => definition.phases.map((phase) => phase.kind));

const start = { path: { definition_id: definitions[0].id } };
const body = { query: "Where to sell pumps?", fresh: true };
const run_id = need(await client.POST("/v1/workflows/{definition_id}/run", { params: start, body })).run_id;
const params = { path: { run_id }, query: { wait: 20 } };

let state: State = need(await client.GET("/v1/runs/{run_id}/state", { params }));
const answers = Object.fromEntries((state.pending[0].questions ?? []).map((question) => [question.id, null]));
state = need(await client.POST("/v1/runs/{run_id}/answers", { params, body: { answers } }));
const approval = { action: "approve", plan_hash: state.plan_hash } as const;
state = need(await client.POST("/v1/runs/{run_id}/decision", { params, body: approval }));

const events: LoggedEvent[] = [];
for (let after: string | null | undefined = "0"; after; ) {
  const page: components["schemas"]["Page_LoggedEvent_"] = need(
    await client.GET("/v1/runs/{run_id}/events", { params: { path: { run_id }, query: { after: Number(after) } } }),
  );
  events.push(...page.items);
  after = page.next_cursor;
}
const report = need(await client.GET("/v1/runs/{run_id}/report", { params: { path: { run_id } }, parseAs: "text" }));
console.log(JSON.stringify({ status: state.status, kinds, report, told: events.map(describe) }));
