/** Two runs side by side: what was asked, planned and read, what it cost, and how the reports differ. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { compareRuns, type Comparison } from "../api/client";
import { StatusWord, type Status } from "../parts/lamp";
import { ErrorNotice, Loading } from "../parts/notices";
import { humanize, Readable } from "../parts/readable";
import { useTitle } from "../parts/title";
import { useWords, type Key } from "../strings";
import "./compare.css";
import { ComparedReports } from "./compared-reports";

type Change = Comparison["plan"][number];

/** What few look for: folded, so that the reports are in sight. */
const DETAILS: Key[] = ["compare.plan", "compare.config", "compare.phases"];

export default function CompareView({ a, b }: { a: string; b: string }) {
  const { t } = useWords();
  useTitle(t("compare.title"));
  const comparison = useQuery({ queryKey: ["compare", a, b], queryFn: () => compareRuns(a, b) });
  if (comparison.error) return <ErrorNotice error={comparison.error} onRetry={() => void comparison.refetch()} />;
  if (!comparison.data) return <Loading />;
  const { request, plan, config, phases, sources, report } = comparison.data;
  const parts: [Key, Change[]][] = [
    ["compare.request", request.filter(({ path }) => !path.startsWith("user_id"))],
    ["compare.plan", plan],
    ["compare.config", config],
    ["compare.phases", phases],
  ];
  const changed = parts
    .map(([title, changes]): [Key, Change[]] => [title, changes.filter(({ path }) => path !== "query")]) // it stands above
    .filter(([, changes]) => changes.length > 0);
  const same: Key[] = parts.filter(([, changes]) => changes.length === 0).map(([title]) => title);
  if (report.length === 0) same.push("compare.report");
  return (
    <div className="compare">
      <h1>{t("compare.title")}</h1>
      <div className="sides">
        <Side run={comparison.data.a} />
        <Side run={comparison.data.b} />
      </div>
      {changed.map(([title, changes]) => (
        <details key={title} open={!DETAILS.includes(title)}>
          <summary>
            <h2>{t(title)}</h2>
          </summary>
          <Changes changes={changes} />
        </details>
      ))}
      {report.length > 0 && (
        <section aria-labelledby="reports">
          <h2 id="reports">{t("compare.report")}</h2>
          <ComparedReports a={a} b={b} />
        </section>
      )}
      {sources.only_a.length + sources.only_b.length > 0 && (
        <section aria-labelledby="pages">
          <h2 id="pages">{t("compare.sources")}</h2>
          <div className="sides">
            <Addresses title={t("compare.sources.one")} urls={sources.only_a} />
            <Addresses title={t("compare.sources.one")} urls={sources.only_b} />
          </div>
        </section>
      )}
      <p className="quiet-line">
        {[
          same.length > 0 && t("compare.same", { parts: same.map((title) => t(title)).join(", ") }),
          t("compare.sources.both", { n: sources.both.length }),
        ]
          .filter(Boolean)
          .join(" ")}
      </p>
    </div>
  );
}

function Side({ run }: { run: Comparison["a"] }) {
  const { t, usd, date } = useWords();
  return (
    <div className="side">
      <Link href={`/runs/${run.run_id}`}>{run.query}</Link>
      <p>
        <StatusWord status={run.status as Status} />
      </p>
      <small>{[date(run.started_at), t("compare.cost", { usd: usd(run.usage.usd) }), run.model].join(" · ")}</small>
    </div>
  );
}

function Changes({ changes }: { changes: Change[] }) {
  return (
    <>
      {[...groupByField(changes)].map(([field, items]) => (
        <div className="change" key={field}>
          <h3>{nameField(field)}</h3>
          <div className="sides">
            <Values field={field} values={items.map(({ a }) => a)} />
            <Values field={field} values={items.map(({ b }) => b)} />
          </div>
        </div>
      ))}
    </>
  );
}

/** Changes of one list stand together: `outline[1]` and `outline[2]` are of `outline`. */
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
  const { usd } = useWords();
  const there = values.filter((value) => value !== null && value !== undefined);
  if (there.length === 0) return <p>–</p>;
  const isMoney = field.endsWith("_usd");
  return (
    <div className="values">
      {there.map((value, n) => (
        <Value key={n} value={isMoney && typeof value === "number" ? usd(value) : value} isPhase={!field.includes(".")} />
      ))}
    </div>
  );
}

/** A phase that one run alone has is told to be there; how it was set can be opened. */
function Value({ value, isPhase }: { value: unknown; isPhase: boolean }) {
  const { t } = useWords();
  const isWhole = typeof value === "object" && !("name" in value!) || /^\{/.test(String(value));
  if (!isWhole || !isPhase) return <Readable value={value} />;
  return (
    <details>
      <summary>{t("compare.there")}</summary>
      <Readable value={value} />
    </details>
  );
}

function Addresses({ title, urls }: { title: string; urls: string[] }) {
  return (
    <div>
      <h3>
        {title} <span className="count">{urls.length}</span>
      </h3>
      <ul>
        {urls.map((url) => (
          <li key={url}>
            <a href={/^https?:/.test(url) ? url : undefined} target="_blank" rel="noreferrer">
              {url}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
