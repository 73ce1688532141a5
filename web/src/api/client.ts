/** The only access to the gateway: typed calls whose failures are all a `Problem`. */

import createClient from "openapi-fetch";

import type { components, paths } from "./schema";

type Schemas = components["schemas"];

export type Definition = Schemas["Definition"];
export type DepthPrice = Schemas["DepthPrice"];
export type Depth = DepthPrice["depth"];
export type Validity = Schemas["Validity"];
export type Kind = Schemas["KindView"];
export type Checkpoint = Schemas["Checkpoint"];
export type Choice = Schemas["Choice"];
export type Question = Schemas["OpenQuestion"];
export type LoggedEvent = Schemas["LoggedEvent"];
export type EventType = LoggedEvent["type"];
export type EventOf<Type extends EventType> = Extract<LoggedEvent, { type: Type }>;
export type HumanResponse = EventOf<"HumanResponseEvent">["payload"];
export type AgentEvent = Pick<Schemas["AgentInput"], "current_agent_name" | "call">;
export type ToolCall = Schemas["ToolCall"];
export type Status = Schemas["Status"];
export type PhaseView = Schemas["PhaseView"];
export type Sample = Schemas["Sample"];
export type RunState = Schemas["StateView"];
export type RunSummary = Schemas["RunSummary"];
export type RunStatus = RunState["status"];
export type ReportHead = Schemas["ReportHead"];
export type ReportDocument = Schemas["Document"];
export type DocumentSource = Schemas["DocumentSource"];
export type Block = NonNullable<ReportDocument["blocks"]>[number];
export type Note = NonNullable<ReportDocument["notes"]>[number];
export type Quote = Schemas["Quote"];
export type Sentence = Schemas["Sentence"];
export type Mark = Schemas["Mark"];
export type Column = Schemas["Column"];
export type Notice = Schemas["Notice"];
export type Assumption = Schemas["Assumption"];
export type EarlyEnd = Schemas["EarlyEnd"];
export type Decision = Schemas["Decision"];
export type Source = Schemas["NumberedSource"];
export type CostEstimate = Schemas["CostEstimate"];
export type Plan = Schemas["Plan"];
export type PlanStep = Schemas["PlanStep"];
export type PlanChange = Schemas["PlanChange"];
export type ShownOutput = Schemas["ShownOutput"];
export type ReviewedIdea = Schemas["ReviewedIdea"];
export type Subject = NonNullable<Checkpoint["subject"]>;
export type Metadata = Schemas["MetadataView"];
export type Price = Schemas["Price"];
export type Usage = Schemas["Usage"];
export type Effort = Schemas["Effort"];
export type Comparison = Schemas["RunComparison"];
export type Spend = Schemas["Spend"];
export type Budget = Schemas["Budget"];
export type Startup = Schemas["Startup"];
export type OwnFile = Schemas["OwnFile"];
export type Channel = Schemas["Channel"];
export type ChannelBody = Schemas["ChannelBody"];
export type Delivery = Schemas["Delivery"];
export type Schedule = Schemas["Schedule"];
export type KeptSchedule = Schemas["KeptSchedule"];
export type ScheduleBody = Schemas["ScheduleBody"];
export type RepeatedRun = Schemas["RepeatedRun"];
export type Collection = Schemas["Collection"];
export type CollectionDocument = Schemas["CollectionDocument"];
export type ProviderAnswer = Schemas["ProviderAnswer"];
export type ProviderKind = "model" | "search" | "tools";
export type StepResult = Schemas["StepResult"];
/** What is wrong with a field. */
export type FieldProblem = Pick<Schemas["Problem"], "path" | "code" | "message"> & Partial<Pick<Notice, "params">>;
export type Json = Record<string, unknown>;
export type Start = Pick<Schemas["RunRequest"], "query"> & Partial<Schemas["RunRequest"]>;
export type Decide = Pick<Schemas["Decide"], "action"> & Partial<Schemas["Decide"]>;

/** Return the plan that a decision at a checkpoint is about, or may change. */
export const findPlan = ({ subject }: Checkpoint): Plan | null => (subject && "plan" in subject ? subject.plan : null);

/** Why a call failed: what the gateway says, or that it could not be reached. */
export class Problem extends Error {
  constructor(
    readonly type: string,
    message: string,
    readonly status = 0,
    readonly fields: FieldProblem[] = [],
    readonly notice: Pick<Notice, "code"> & Partial<Pick<Notice, "params">> = { code: "" },
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What the gateway requires of a session's changes: no form and no other site can send it. */
const http = createClient<paths>({
  baseUrl: location.origin,
  headers: { "X-Greenlight-Page": "1" },
});

let link = "";

/** Read with a share link's token; "" reads as the signed-in user. */
export function readByLink(token: string) {
  link = token;
}

/** Whether the page reads by a share link, which only opens the report. */
export const isByLink = () => link !== "";

const asBearer = (): Record<string, string> => (link ? { Authorization: `Bearer ${link}` } : {});

http.use({
  onRequest({ request }) {
    request.headers.set("Accept-Language", document.documentElement.lang);
    for (const [name, value] of Object.entries(asBearer())) request.headers.set(name, value);
    return request;
  },
});

async function settle<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch {
    throw new Problem("unreachable", "");
  }
  if (answer.response.ok) return answer.data as T;
  throw toProblem(answer.response.status, answer.error);
}

function toProblem(status: number, body: unknown): Problem {
  const told = (body ?? {}) as Partial<Schemas["ProblemDetails"]>;
  const { type = "internal", detail = "", problems = [], code = "", params = {} } = told;
  return new Problem(type, detail, status, problems, { code, params });
}

async function fetchBody(path: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { headers: asBearer() });
  } catch {
    throw new Problem("unreachable", "");
  }
  if (response.ok) return response;
  throw toProblem(response.status, await response.json().catch(() => null));
}

const fetchJson = async <T>(path: string) => (await fetchBody(path)).json() as Promise<T>;

const fetchText = async (path: string) => (await fetchBody(path)).text();

/** A file of the gateway, for who reads by a link: a browser's own download would not carry it. */
export const fetchFile = async (path: string) => (await fetchBody(path)).blob();

/** A file with the name that the gateway gives it, "" for none. */
export async function fetchNamedFile(path: string) {
  const response = await fetchBody(path);
  const [, name = ""] = /filename\*=UTF-8''([^;]*)/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  return { file: await response.blob(), name: decodeURIComponent(name) };
}

/** Bodies leave out what has a default, which the generated types of a body do not know. */
const body = <T>(given: Partial<T>) => ({ body: given as T });

const at = (run_id: string) => ({ path: { run_id } });

export const listDefinitions = () => settle(http.GET("/v1/workflows")).then((page) => page.items);

export const getDefinition = (definition_id: string, version?: number) =>
  settle(
    http.GET("/v1/workflows/{definition_id}", {
      params: { path: { definition_id }, query: version === undefined ? {} : { version } },
    }),
  );

/** Return the faults of an unsaved definition of any form, or its bindings. */
export const checkBody = (definition: Json) =>
  settle(http.POST("/v1/workflows/validate", body(definition as Partial<Schemas["DefinitionBody"]>)));

export const createDefinition = (definition: Json) =>
  settle(http.POST("/v1/workflows", body(definition as Partial<Schemas["DefinitionBody"]>)));

/** Save the version after the named one; with 412 where that is not the newest. */
export const replaceDefinition = (definition_id: string, version: number, definition: Json) =>
  settle(
    http.PUT("/v1/workflows/{definition_id}", {
      params: { path: { definition_id }, header: { "if-match": `"${version}"` } },
      ...body(definition as Partial<Schemas["DefinitionChange"]>),
    }),
  );

/** `force`: also while runs of it go on. */
export const deleteDefinition = (definition_id: string, version: number, force: boolean) =>
  settle(
    http.DELETE("/v1/workflows/{definition_id}", {
      params: { path: { definition_id }, query: { force }, header: { "If-Match": `"${version}"` } },
    }),
  );

export const listVersions = (definition_id: string) =>
  settle(http.GET("/v1/workflows/{definition_id}/versions", { params: { path: { definition_id } } })).then(
    (page) => page.items,
  );

/** Return the kinds without the schemas of what they give: those are five sixths of the answer. */
export const listKinds = () =>
  settle(http.GET("/v1/phases", { params: { query: { output_schemas: false } } })).then((page) => page.items);

export const checkDefinition = (definition_id: string) =>
  settle(http.POST("/v1/workflows/{definition_id}/validate", { params: { path: { definition_id } } }));

export const estimateRun = (definition_id: string, start: Start) =>
  settle(
    http.POST("/v1/workflows/{definition_id}/estimate", {
      params: { path: { definition_id } },
      ...body<Schemas["RunRequest"]>(start),
    }),
  );

/** Whether a retry makes sense: the gateway did not answer, or is unavailable. */
export const isPassing = (error: Error) => error instanceof Problem && [0, 502, 503].includes(error.status);

/** A start has a key, so that it is made again until the gateway answers. */
export const KEYED = {
  retry: (count: number, error: Error) => isPassing(error) && count < 20,
  retryDelay: 1_000,
};

/** The same `key` starts the run once, however often a tired network sends it. */
export const startRun = (definition_id: string, start: Start, key: string) =>
  settle(
    http.POST("/v1/workflows/{definition_id}/run", {
      params: { path: { definition_id }, header: { "idempotency-key": key } },
      ...body<Schemas["RunRequest"]>(start),
    }),
  );

/** The document is read before this returns; a refusal says what can be. */
export const uploadFile = (file: File) =>
  settle(
    http.POST("/v1/files", {
      params: { query: { name: file.name } },
      body: file as unknown as string,
      bodySerializer: (given) => given as unknown as File,
      headers: { "Content-Type": "application/octet-stream" },
    }),
  );

const inside = (collection: string) => ({ path: { collection } });

export const listCollections = () => settle(http.GET("/v1/collections")).then((page) => page.items);

export const createCollection = (name: string) => settle(http.POST("/v1/collections", body({ name })));

export const getCollection = (name: string) =>
  settle(http.GET("/v1/collections/{collection}", { params: inside(name) }));

export const deleteCollection = (name: string) =>
  settle(http.DELETE("/v1/collections/{collection}", { params: inside(name) }));

export const listDocuments = (
  name: string,
  query: { cursor?: string; limit?: number; status?: CollectionDocument["status"] },
) => settle(http.GET("/v1/collections/{collection}/documents", { params: { ...inside(name), query } }));

/** The document is kept before this returns, and read in the background. */
export const putDocument = (collection: string, file: File) =>
  settle(
    http.PUT("/v1/collections/{collection}/documents", {
      params: { ...inside(collection), query: { name: file.webkitRelativePath || file.name } },
      body: file as unknown as string,
      bodySerializer: (given) => given as unknown as File,
      headers: { "Content-Type": "application/octet-stream" },
    }),
  );

export const deleteDocument = (collection: string, document: string) =>
  settle(
    http.DELETE("/v1/collections/{collection}/documents/{document}", { params: { path: { collection, document } } }),
  );

export const getMetadata = () => settle(http.GET("/v1/metadata"));

/** Have one small request made of a provider, now. */
export const testProvider = (provider: ProviderKind, server = "") =>
  settle(http.POST("/v1/providers/{provider}/test", { params: { path: { provider } }, body: { server } }));

export const listStartups = () => settle(http.GET("/v1/startups")).then((page) => page.items);

/** Save what one says of a startup; its id and dates stay. */
export const replaceStartup = ({ id, created_at: _made, last_accessed: _used, ...body }: Startup) =>
  settle(http.PUT("/v1/startups/{startup_id}", { params: { path: { startup_id: id } }, body }));

export const deleteStartup = (id: string) =>
  settle(http.DELETE("/v1/startups/{startup_id}", { params: { path: { startup_id: id } } }));

/** What was spent in the last thirty days, by day, definition and model. */
export const listSpend = () => settle(http.GET("/v1/spend")).then((page) => page.items);

/** The budgets that pay for one's runs, or for one of them. */
export const listBudgets = (run_id?: string) =>
  settle(http.GET("/v1/budgets", { params: { query: run_id ? { run_id } : {} } })).then((page) => page.items);

export interface RunFilter {
  status?: RunStatus;
  definition_id?: string;
  parent?: string;
  text?: string;
  cursor?: string;
  limit?: number;
}

export const listRuns = (filter: RunFilter) => settle(http.GET("/v1/runs", { params: { query: filter } }));

export const getRun = (id: string) => settle(http.GET("/v1/runs/{run_id}", { params: at(id) }));

export const getRunOutputs = (id: string) =>
  settle(http.GET("/v1/runs/{run_id}", { params: { ...at(id), query: { include: "outputs" } } }));

export const getState = (id: string) => settle(http.GET("/v1/runs/{run_id}/state", { params: at(id) }));

export const listSources = (id: string) =>
  settle(http.GET("/v1/runs/{run_id}/sources", { params: at(id) })).then((page) => page.items);

/** Whether a URL is on the web: own documents have a path within their run. */
export const isOnWeb = (url: string) => /^https?:/.test(url);

/** What the run keeps, as a report leads to it: a table, a chart, a document of one's own. */
const KEPT = /^(artifacts\/[\w-]+(#page=\d+)?|sources\/\d+\/snapshot)$/;

/** Where an address of a report leads: to the web, or to what the run keeps; anywhere else: nowhere. */
export const placeAddress = (id: string, url: string) =>
  isOnWeb(url) || url.startsWith("mailto:") ? url : KEPT.test(url) ? `/v1/runs/${id}/${url}` : "";

export const getSnapshot = (id: string, n: number) => fetchText(`/v1/runs/${id}/sources/${n}/snapshot`);

/** The report's document; `seq` is a moment of its growth. */
export const getReportDocument = async (id: string, seq?: number) =>
  (await fetchJson<Schemas["Report"]>(`/v1/runs/${id}/report?format=json${seq ? `&at=${seq}` : ""}`)).document!;

/** A drawing of the run, as SVG. */
export const getArtifactText = (id: string, artifact: string) => fetchText(`/v1/runs/${id}/artifacts/${artifact}`);

/** The subject of a checkpoint as a report's document, or a phase's output with it. */
export const getSubjectDocument = (id: string, checkpoint_id: string, phase?: string) =>
  fetchJson<ReportDocument>(`/v1/runs/${id}/checkpoints/${checkpoint_id}?format=json${phase ? `&phase=${phase}` : ""}`);

export type ReportFormat = "md" | "html" | "pdf" | "docx" | "zip" | "bib" | "ris" | "csl";

export const reportFile = (id: string, format: ReportFormat, appendix: boolean) =>
  `/v1/runs/${id}/report?format=${format}${appendix ? "" : "&appendix=false"}`;

export const runArchive = (id: string) => `/v1/runs/${id}/archive`;

/** Questions without an answer are left to the run. */
export const answerQuestions = (id: string, checkpoint_id: string, answers: Record<string, string | null>) =>
  settle(
    http.POST("/v1/runs/{run_id}/answers", {
      params: at(id),
      ...body<Schemas["AnswerQuestions"]>({ answers, rest: null, checkpoint_id }),
    }),
  );

/** Send a decision; `isLeaving` has the browser send it although the page goes away. */
export const decide = (id: string, decision: Decide, isLeaving = false) =>
  settle(
    http.POST("/v1/runs/{run_id}/decision", {
      params: at(id),
      keepalive: isLeaving,
      ...body<Schemas["Decide"]>(decision),
    }),
  );

export const steer = (id: string, text: string) =>
  settle(http.POST("/v1/runs/{run_id}/steer", { params: at(id), ...body<Schemas["Steer"]>({ text }) }));

export const setPaused = (id: string, paused: boolean) =>
  settle(
    paused
      ? http.POST("/v1/runs/{run_id}/pause", { params: at(id) })
      : http.POST("/v1/runs/{run_id}/resume", { params: at(id) }),
  );

export const cancelRun = (id: string, mode: Schemas["Cancel"]["mode"]) =>
  settle(http.POST("/v1/runs/{run_id}/cancel", { params: at(id), ...body<Schemas["Cancel"]>({ mode }) }));

/** Remove a run that has ended, for good. */
export const deleteRun = (id: string) => settle(http.DELETE("/v1/runs/{run_id}", { params: at(id) }));

export const undoPatch = (id: string, seq: number) =>
  settle(http.POST("/v1/runs/{run_id}/undo", { params: at(id), ...body<Schemas["UndoAt"]>({ seq }) }));

/** Without `research`, the question is answered from the run's stored pages. */
export const followUp = (id: string, asked: Partial<Schemas["FollowUp"]>, key: string) =>
  settle(
    http.POST("/v1/runs/{run_id}/follow-up", {
      params: { ...at(id), header: { "idempotency-key": key } },
      ...body<Schemas["FollowUp"]>(asked),
    }),
  );

/** Return when the report contains the sentence; the same `key` edits it only once. */
export async function editSentence(id: string, edit: Partial<Schemas["EditSentence"]>, key: string) {
  const { run_id } = await settle(
    http.POST("/v1/runs/{run_id}/edit", {
      params: { ...at(id), header: { "idempotency-key": key } },
      ...body<Schemas["EditSentence"]>(edit),
    }),
  );
  let state: RunState;
  do {
    state = await settle(http.GET("/v1/runs/{run_id}/state", { params: { ...at(run_id), query: { wait: 30 } } }));
  } while (!state.ended_at);
  const error = state.phases.find((phase) => phase.error)?.error;
  if (state.status !== "completed") {
    throw new Problem(error?.type ?? "conflict", error?.message ?? "", 409, [], error?.notice ?? undefined);
  }
}

export const compareRuns = (run_id: string, other_id: string) =>
  settle(http.GET("/v1/runs/{run_id}/compare/{other_id}", { params: { path: { run_id, other_id } } }));

/** Health has status 503 during an outage: read both answers. */
export async function getReadiness(): Promise<Schemas["Readiness"]> {
  const { data, error } = await http.GET("/readyz").catch(() => {
    throw new Problem("unreachable", "");
  });
  return (data ?? error) as Schemas["Readiness"];
}

/** A report's head: the question, the short answer, the gaps, and its time and price. */
export const getReportHead = (id: string) => settle(http.GET("/v1/runs/{run_id}/report/head", { params: at(id) }));

export type Remark = Schemas["ReaderRemark"];

export type ShareLink = Schemas["ApiKey"];

export const listShareLinks = (id: string) =>
  settle(http.GET("/v1/runs/{run_id}/share-links", { params: at(id) })).then((page) => page.items);

export const createShareLink = (id: string, days: number | null) =>
  settle(http.POST("/v1/runs/{run_id}/share-links", { params: at(id), body: { days } }));

export const revokeShareLink = (run_id: string, link_id: string) =>
  settle(http.DELETE("/v1/runs/{run_id}/share-links/{link_id}", { params: { path: { run_id, link_id } } }));

export const getSession = () => settle(http.GET("/v1/session"));

export const signIn = (key: string) => settle(http.POST("/v1/session", { body: { key } }));

export const signOut = () => settle(http.DELETE("/v1/session"));

export const listChannels = () => settle(http.GET("/v1/channels")).then((page) => page.items);

export const createChannel = (body: ChannelBody) => settle(http.POST("/v1/channels", { body }));

/** Switch a channel on or off; the rest of it stays. */
export const changeChannel = ({ id, name, events, language }: Channel, enabled: boolean) =>
  settle(
    http.PUT("/v1/channels/{channel_id}", {
      params: { path: { channel_id: id } },
      body: { name, events, language, enabled },
    }),
  );

export const deleteChannel = (channel_id: string) =>
  settle(http.DELETE("/v1/channels/{channel_id}", { params: { path: { channel_id } } }));

/** Seconds that one waits for a receiver's answer: it is given 20. */
const wait = 25;

export const testChannel = (channel_id: string) =>
  settle(http.POST("/v1/channels/{channel_id}/test", { params: { path: { channel_id }, query: { wait } } }));

export const listDeliveries = (channel_id: string) =>
  settle(http.GET("/v1/channels/{channel_id}/deliveries", { params: { path: { channel_id } } })).then(
    (page) => page.items,
  );

export const replayDelivery = (channel_id: string, alert_id: string) =>
  settle(
    http.POST("/v1/channels/{channel_id}/deliveries/{alert_id}/replay", {
      params: { path: { channel_id, alert_id }, query: { wait } },
    }),
  );

export const listSchedules = () => settle(http.GET("/v1/schedules")).then((page) => page.items);

const ofSchedule = (schedule_id: string) => ({ params: { path: { schedule_id } } });

export const getSchedule = (id: string) => settle(http.GET("/v1/schedules/{schedule_id}", ofSchedule(id)));

export const createSchedule = (body: ScheduleBody) => settle(http.POST("/v1/schedules", { body }));

export const pauseSchedule = (id: string, paused: boolean) =>
  settle(http.PUT("/v1/schedules/{schedule_id}/pause", { ...ofSchedule(id), body: { paused, note: "" } }));

export const triggerSchedule = (id: string) => settle(http.POST("/v1/schedules/{schedule_id}/trigger", ofSchedule(id)));

export const deleteSchedule = (id: string) => settle(http.DELETE("/v1/schedules/{schedule_id}", ofSchedule(id)));

/** What a scheduled run's report changed of the run's before; null: it has no result. */
export const getRunChanges = (schedule_id: string, run_id: string) =>
  settle(http.GET("/v1/schedules/{schedule_id}/runs/{run_id}/changes", { params: { path: { schedule_id, run_id } } }));

export const listKeys = () => settle(http.GET("/v1/keys")).then((page) => page.items);

/** Null: of the scope of the key at hand. */
export const createKey = (scope: "ask" | null) => settle(http.POST("/v1/keys", { body: { scope } }));

export const revokeKey = (key_id: string) => settle(http.DELETE("/v1/keys/{key_id}", { params: { path: { key_id } } }));
