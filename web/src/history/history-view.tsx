/** All runs: what waits for me on top, the rest by what I look for. */

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { Link, useLocation } from "wouter";

import { listDefinitions, listRuns, type RunStatus, type RunSummary } from "../api/client";
import { useWaiting } from "../frame/header";
import { useHeldRows } from "../parts/hooks/held-rows";
import { NewRows } from "../parts/new-rows";
import { ErrorNotice, Loading } from "../parts/notices";
import { findSameQuestionRuns } from "../parts/same-question-runs";
import { useTitle } from "../parts/text/title";
import { useWords } from "../strings";
import "./history.css";
import { RunRow } from "./run-row";

const STATUSES: RunStatus[] = [
  "running",
  "waiting",
  "paused",
  "completed",
  "partial",
  "failed",
  "cancelled",
  "rejected",
];
const REFRESH_MS = 10_000;
/** So many waiting runs stand on top; the inbox has all of them. */
const MAX_ASKING = 3;

/** The key of the line that leads to further waiting runs. */
const MORE = "more";

interface HeldRow {
  key: string;
  run?: RunSummary;
  /** It stands on top, among the runs that wait. */
  isAsking: boolean;
}

/** List what is drawn, from top to bottom: waiting runs, the way to further ones, and the other runs. */
function listRows(asking: RunSummary[], further: number, found: RunSummary[]): HeldRow[] {
  const toRow = (isAsking: boolean) => (run: RunSummary) => ({ key: `${isAsking} ${run.run_id}`, run, isAsking });
  const rest = found.filter((run) => !asking.some((one) => one.run_id === run.run_id));
  return [
    ...asking.map(toRow(true)),
    ...(further > 0 ? [{ key: MORE, isAsking: false }] : []),
    ...rest.map(toRow(false)),
  ];
}

export default function HistoryView() {
  const { t, named } = useWords();
  useTitle(t("runs.title"));
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const [definition, setDefinition] = useState("");
  const [compared, setCompared] = useState<string | null>(null);
  const [, navigate] = useLocation();
  const searched = useDeferredValue(text.trim());
  const filter = {
    ...(searched && { text: searched }),
    ...(status && { status: status as RunStatus }),
    ...(definition && { definition_id: definition }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const waiting = useWaiting();
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions, staleTime: 60_000 });
  const titles = new Map(definitions.data?.map((one) => [one.id, named(one)]));
  const runs = useInfiniteQuery({
    queryKey: ["runs", filter],
    queryFn: ({ pageParam }) => listRuns({ ...filter, limit: 30, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const found = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const allAsking = isFiltered ? [] : (waiting.data?.items ?? []);
  const asking = allAsking.slice(0, MAX_ASKING);
  const isEmpty = runs.isSuccess && found.length === 0 && !isFiltered;
  const areOthersDue = [waiting, definitions].some((one) => one.isPending && one.failureCount === 0);
  const isDue = runs.isPending || areOthersDue; // they are drawn together: a name that came later would add a line
  const list = useHeldRows({
    rows: isDue ? [] : listRows(asking, allAsking.length - asking.length, found),
    keyOf: ({ key }) => key,
    of: runs.isPlaceholderData ? "" : JSON.stringify(filter),
  });
  const newest = new Map([...allAsking, ...found].map((run) => [run.run_id, run]));
  const apart = findSameQuestionRuns(list.rows.flatMap(({ run }) => run ?? []));
  const isShown = (id: string) => list.rows.some(({ run }) => run?.run_id === id);
  const fresh = list.fresh.filter(({ run, isAsking }) => run && (isAsking || !isShown(run.run_id)));
  const isMore = list.rows.some(({ key }) => key === MORE);

  function pick(id: string) {
    if (compared && compared !== id) navigate(`/compare/${compared}/${id}`);
    else setCompared(compared === id ? null : id);
  }

  /** A row that is held in its place shows how its run stands now. */
  function drawRow({ key, run, isAsking }: HeldRow) {
    if (!run) return null;
    const { run_id: id, definition_id: kind } = run;
    return (
      <RunRow
        key={key}
        run={newest.get(id) ?? run}
        kind={definitions.isPending ? "" : titles.get(kind)}
        apart={apart.get(id)}
        isGone={!newest.has(id)}
        isPicked={!isAsking && id === compared}
        {...(!isAsking && { onCompare: () => pick(id) })}
      />
    );
  }

  return (
    <div className="list stack">
      <NewRows n={fresh.length} onShow={list.show} />
      <h1>{t("runs.title")}</h1>
      {list.rows.some(({ isAsking }) => isAsking) && (
        <section className="asking" aria-labelledby="asking">
          <h2 id="asking" className="label">
            {t("runs.waiting")}
          </h2>
          <ul className="runs">{list.rows.map((row) => row.isAsking && drawRow(row))}</ul>
          {isMore && (
            <p>
              <Link href="/inbox">{t("runs.waiting.more", { n: Math.max(allAsking.length - MAX_ASKING, 1) })}</Link>
            </p>
          )}
        </section>
      )}
      <section className="stack" aria-label={t("runs.all")}>
        {!isEmpty && <h2 className="label">{t("runs.all")}</h2>}
        <search className="filters" hidden={isEmpty}>
          <label>
            <span className="unseen">{t("runs.search")}</span>
            <input
              type="search"
              value={text}
              placeholder={t("runs.search")}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <label>
            <span className="unseen">{t("runs.status")}</span>
            <select value={status} onChange={(event) => setStatus(event.target.value)}>
              <option value="">{t("runs.status.any")}</option>
              {STATUSES.map((one) => (
                <option key={one} value={one}>
                  {t(`status.${one}`)}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span className="unseen">{t("runs.definition")}</span>
            <select value={definition} onChange={(event) => setDefinition(event.target.value)}>
              <option value="">{t("runs.definition.any")}</option>
              {[...titles].map(([id, title]) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        </search>
        {runs.error && <ErrorNotice error={runs.error} onRetry={() => void runs.refetch()} />}
        {isDue && !runs.error && <Loading />}
        {runs.isSuccess && found.length === 0 && (
          <div className="empty">
            <p>{t(isFiltered ? "runs.empty.filter" : "runs.empty")}</p>
            {!isFiltered && (
              <Link href="/" className="button">
                {t("state.home")}
              </Link>
            )}
          </div>
        )}
        <ul className="runs">{list.rows.map((row) => !row.isAsking && drawRow(row))}</ul>
        {compared && (
          <div className="bottom-bar">
            <p className="muted apart" role="status">
              {t("runs.compare.pick")}
              <button type="button" className="quiet" onClick={() => setCompared(null)}>
                {t("runs.compare.cancel")}
              </button>
            </p>
          </div>
        )}
        {runs.hasNextPage && (
          <button type="button" onClick={() => void runs.fetchNextPage()} disabled={runs.isFetchingNextPage}>
            {t("runs.more")}
          </button>
        )}
      </section>
    </div>
  );
}
