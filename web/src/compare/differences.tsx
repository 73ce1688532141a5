/** What tells two runs apart, in words: what they say first, then how they were made. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { listDefinitions, type Comparison } from "../api/client";
import { nameDepth } from "../parts/depth-rows";
import { nameModel } from "../parts/model-name";
import { compareReports } from "../read/report/changes";
import { useReport } from "../read/report/report-at";
import { useWords, type Words } from "../strings";

/** A smaller difference in cost is none. */
const LEAST_USD = 0.005;

interface Given {
  comparison: Comparison;
  /** Names of what else differs, which is listed further down. */
  others: string[];
}

export function Differences({ comparison, others }: Given) {
  const words = useWords();
  const { t, usd } = words;
  const { a, b, sources, request } = comparison;
  const reports = useReportDifference(comparison, words);
  const isBilled = !a.offline && !b.offline && Math.abs(comparison.usd) >= LEAST_USD;
  const isRead = sources.only_a.length + sources.only_b.length > 0;
  const pages = { both: sources.both.length, a: sources.only_a.length, b: sources.only_b.length };
  const told = [
    request.some(({ path }) => path === "query") && t("compare.differs.asked"),
    reports,
    ...useFacts(comparison)
      .filter(([, one, other]) => one !== other)
      .map(([field, one, other]) => t("compare.differs.field", { field, a: one, b: other })),
    isRead && t("compare.differs.pages", pages),
    isBilled &&
      t(comparison.usd > 0 ? "compare.differs.dearer" : "compare.differs.cheaper", {
        usd: usd(Math.abs(comparison.usd)),
      }),
    others.length > 0 && t("compare.differs.fields", { fields: others }),
  ].filter(Boolean);
  return (
    <section className="differences" aria-labelledby="differences">
      <h2 id="differences">{t("compare.differs")}</h2>
      {told.length > 0 ? (
        <ul>
          {told.map((one) => (
            <li key={String(one)}>{one}</li>
          ))}
        </ul>
      ) : (
        <p>{t("compare.differs.nothing")}</p>
      )}
    </section>
  );
}

/** How many sentences differ; empty while the reports are not here yet. */
function useReportDifference({ a, b, report }: Comparison, { t }: Words): string {
  const [one, other] = [useReport(a.run_id, 0), useReport(b.run_id, 0)];
  const changes = useMemo(
    () => one.document && other.document && compareReports(one.document, other.document),
    [one.document, other.document],
  );
  if (report.length === 0) return one.document && other.document ? t("compare.differs.report.same") : "";
  if (Boolean(one.error) !== Boolean(other.error)) return t("compare.differs.report.one");
  if (!changes) return "";
  const { added, removed, reworded } = changes;
  if (added.length + removed.length + reworded.length === 0) return t("compare.differs.report.same");
  return t("compare.differs.report", {
    removed: removed.length,
    added: added.length,
    changed: reworded.length || undefined,
  });
}

/** What is known of both runs: its name, and what it is of each. */
function useFacts({ a, b }: Comparison): [string, string, string][] {
  const words = useWords();
  const { t, named } = words;
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions, staleTime: 60_000 });
  const titles = new Map(definitions.data?.map((one) => [one.id, named(one)]));
  const isOneKind = a.definition_id === b.definition_id;
  const describe = (run: Comparison["a"]): string[] => [
    isOneKind
      ? t("compose.version", { n: run.definition_version })
      : (titles.get(run.definition_id) ?? run.definition_id),
    run.depth ? t(nameDepth(run.depth)) : "–",
    nameModel(run, words),
  ];
  const [one, other] = [describe(a), describe(b)];
  const names = [t("runs.definition"), t("depth.title"), t("approve.model")];
  return names.map((name, n) => [name, one[n] ?? "", other[n] ?? ""]);
}
