/** Two runs side by side: what differs in words, then their reports and pages, and how each was made. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { compareRuns, isOnWeb, listSources, Problem, type Comparison, type Source } from "../api/client";
import { Clamped } from "../parts/text/clamped";
import { EndWord, type Status } from "../parts/lamp";
import { ErrorNotice, Loading, Missing } from "../parts/notices";
import { humanize } from "../parts/text/humanize";
import { Readable } from "../parts/text/readable";
import { useTitle } from "../parts/text/title";
import { nameModel } from "../parts/model-name";
import { useWords, type Key } from "../strings";
import "./compare.css";
import { ComparedReports } from "./compared-reports";
import { Differences } from "./differences";
import { Facts } from "../parts/text/facts";

type Change = Comparison["plan"][number];

/** Fields of a start that say nothing about the run. */
const UNSAID = /^(user_id|save_startup)/;
/** What has words of its own elsewhere on the page. */
const NAMES: Record<string, Key> = {
  from_run: "compare.from",
  redo: "read.redo",
  follow_up: "read.followup",
  fresh: "ask.fresh",
  batch: "ask.batch",
  budget: "ask.budget",
  depth: "depth.title",
  temp_workflow: "ask.temp",
  startup_id: "ask.startup",
  files: "ask.files",
  search_terms: "plan.search_terms",
  geographical_scope: "plan.geographical_scope",
  focus_areas: "plan.focus_areas",
  measures: "plan.measures",
  requirements: "plan.requirements",
  outline: "plan.outline",
  assumptions: "plan.assumptions",
  as_of: "plan.as_of",
  not_held: "plan.not_held",
  estimated_duration: "approve.time",
  "estimated_cost.low_usd": "compare.price.low",
  "estimated_cost.expected_usd": "compare.price.expected",
  "estimated_cost.top_usd": "compare.price.top",
};

export default function CompareView({ a, b }: { a: string; b: string }) {
  const { t } = useWords();
  useTitle(t("compare.title"));
  const comparison = useQuery({ queryKey: ["compare", a, b], queryFn: () => compareRuns(a, b) });
  if (comparison.error instanceof Problem && comparison.error.status === 404) return <Missing what="run" />;
  if (comparison.error) return <ErrorNotice error={comparison.error} onRetry={() => void comparison.refetch()} />;
  if (!comparison.data) return <Loading />;
  const { request, plan, config, phases, sources, report, cut } = comparison.data;
  const isSameQuestion = request.every(({ path }) => path !== "query");
  const start = request.filter(({ path }) => path !== "query" && !UNSAID.test(path));
  const parts: [Key, Change[], number | undefined][] = [
    ["compare.start", start, cut.request],
    ["compare.plan", plan, cut.plan],
    ["compare.config", config, cut.config],
    ["compare.phases", phases, cut.phases],
  ];
  const changed = parts.filter(([, changes]) => changes.length > 0);
  const same: Key[] = parts.filter(([, changes]) => changes.length === 0).map(([title]) => title);
  if (report.length === 0) same.push("compare.report");
  return (
    <div className="compare stack">
      <h1>{t("compare.title")}</h1>
      {isSameQuestion && <Clamped className="asked-of-both" text={comparison.data.a.query} />}
      <div className="sides">
        <Side name="compare.first" run={comparison.data.a} isSameQuestion={isSameQuestion} />
        <Side name="compare.second" run={comparison.data.b} isSameQuestion={isSameQuestion} />
      </div>
      <Differences comparison={comparison.data} others={changed.map(([title]) => t(title))} />
      {report.length > 0 && (
        <section className="ruled" aria-labelledby="reports">
          <h2 id="reports">{t("compare.report")}</h2>
          <ComparedReports a={a} b={b} />
        </section>
      )}
      {sources.only_a.length + sources.only_b.length > 0 && (
        <section className="ruled" aria-labelledby="pages">
          <h2 id="pages">{t("compare.sources")}</h2>
          <div className="sides">
            <Pages title={t("compare.sources.one")} runId={a} urls={sources.only_a} />
            <Pages title={t("compare.sources.one")} runId={b} urls={sources.only_b} />
          </div>
        </section>
      )}
      {changed.map(([title, changes, left]) => (
        <details className="ruled" key={title}>
          <summary>
            <h2>{t(title)}</h2>
          </summary>
          <Changes changes={changes} />
          {left && <p className="muted">{t("compare.cut", { n: left })}</p>}
        </details>
      ))}
      {same.length > 0 && (
        <p className="muted">{t("compare.same", { parts: same.map((title) => t(title)).join(", ") })}</p>
      )}
    </div>
  );
}

interface SideGiven {
  name: Key;
  run: Comparison["a"];
  /** It is said once, above both. */
  isSameQuestion: boolean;
}

function Side({ name, run, isSameQuestion }: SideGiven) {
  const words = useWords();
  const { t, usd, date } = words;
  const cost = run.offline ? t("run.free") : usd(run.usage.usd);
  return (
    <div className="card">
      <h2 className="label">{t(name)}</h2>
      <Link className="clamped" href={`/runs/${run.run_id}`}>
        {isSameQuestion ? date(run.started_at, true) : run.query}
      </Link>
      <p className="row">
        <EndWord status={run.status as Status} foundNothing={run.found_nothing} />
        <small>
          <Facts of={[!isSameQuestion && date(run.started_at), cost, nameModel(run, words)]} />
        </small>
      </p>
    </div>
  );
}

function Changes({ changes }: { changes: Change[] }) {
  const { t } = useWords();
  return (
    <>
      {[...groupByField(changes)].map(([field, items]) => (
        <div className="change" key={field}>
          <h3 className="label">{Object.hasOwn(NAMES, field) ? t(NAMES[field]!) : nameField(field)}</h3>
          <div className="sides">
            <Values field={field} values={items.map(({ a }) => a)} />
            <Values field={field} values={items.map(({ b }) => b)} />
          </div>
        </div>
      ))}
    </>
  );
}

/** Group changes of one list: `outline[1]` and `outline[2]` belong to `outline`. */
function groupByField(changes: Change[]): Map<string, Change[]> {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const field = change.path.replace(/\[\d+\]$/, "");
    groups.set(field, [...(groups.get(field) ?? []), change]);
  }
  return groups;
}

/** Return a path as words: `steps[0].name` is “Steps 1 · Name”. */
const nameField = (path: string) =>
  path
    .replace(/_usd$/, "")
    .replace(/\[(\d+)\]/g, (_, n: string) => ` ${Number(n) + 1}`)
    .split(".")
    .map(humanize)
    .join(" · ");

function Values({ field, values }: { field: string; values: unknown[] }) {
  const { t, usd } = useWords();
  const there = values.filter((value) => value !== null && value !== undefined && value !== "");
  if (there.length === 0) return <p>–</p>;
  if (field === "from_run") return <Link href={`/runs/${String(there[0])}`}>{t("compare.from.run")}</Link>;
  if (field === "redo") return <p>{there.map((phase) => humanize(String(phase))).join(", ")}</p>;
  const isMoney = field.endsWith("_usd") || field === "budget";
  return (
    <div className="values stack">
      {there.map((value, n) => (
        <Value
          key={n}
          value={isMoney && typeof value === "number" ? usd(value) : value}
          isPhase={!field.includes(".")}
        />
      ))}
    </div>
  );
}

/** A phase in only one run is shown as present; its configuration can be opened. */
function Value({ value, isPhase }: { value: unknown; isPhase: boolean }) {
  const { t } = useWords();
  const isWhole = (typeof value === "object" && !("name" in value!)) || /^\{/.test(String(value));
  if (!isWhole || !isPhase) return <Readable value={value} />;
  return (
    <details>
      <summary>{t("compare.there")}</summary>
      <Readable value={value} />
    </details>
  );
}

function Pages({ title, runId, urls }: { title: string; runId: string; urls: string[] }) {
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId) });
  const read = new Map(sources.data?.map((source): [string, Source] => [source.url, source]));
  return (
    <div>
      <h3 className="label">
        {title} <span className="muted">{urls.length}</span>
      </h3>
      <ul>
        {urls.map((url) => (
          <li key={url}>
            <a href={read.get(url)?.kept || (isOnWeb(url) ? url : undefined)} target="_blank" rel="noreferrer">
              {read.get(url)?.title || url}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
