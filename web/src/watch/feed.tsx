/** Agents' turns, tool calls and humans' words as they happen; only what is in sight is drawn. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type SyntheticEvent } from "react";

import type { RunState } from "../api/client";
import { readText } from "../api/json";
import { isCall, type RunLog } from "../run-state/run-log";
import { pick } from "../parts/pick";
import { useWords } from "../strings";
import { CallRow } from "./call-row";
import { WordRow } from "./word-row";

const ROW_HEIGHT = 44;
const NEAR_PX = 80;

interface Given {
  state: RunState;
  log: RunLog;
  phase: string | null;
  onAll: () => void;
}

export function Feed({ state, log, phase, onAll }: Given) {
  const { t } = useWords();
  const box = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const [seen, setSeen] = useState({ phase, n: 0 }); // when it no longer followed
  const [unfolded] = useState(() => new Set<string>()); // a row is rendered again when it becomes visible
  const items = phase ? log.items.filter((item) => item.phaseId === phase) : log.items;
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (n) => pick(items, n).key,
    overscan: 6,
    useFlushSync: false, // a burst of events is drawn once
  });
  useEffect(() => {
    if (follows && items.length > 0) rows.scrollToIndex(items.length - 1, { align: "end" });
  }, [follows, items.length, rows, log.version]);

  function follow(isOn: boolean) {
    setFollows(isOn);
    if (follows && !isOn) setSeen({ phase, n: items.length });
  }

  function onScroll() {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    if (scrollHeight <= clientHeight) return; // all is in sight: nobody has scrolled, the list is a shorter one
    follow(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  }

  /** What one presses stays under the finger. */
  function onPress({ target }: SyntheticEvent) {
    if (target instanceof Element && target.closest("summary, button")) follow(false);
  }

  const fresh = seen.phase === phase ? items.length - seen.n : 0;
  const isLong = rows.getTotalSize() > (rows.scrollRect?.height ?? 0);
  const undone = new Set(log.patches.map((patch) => patch.undoes));
  const title = state.phases.find((one) => one.id === phase)?.title;

  return (
    <section className="feed">
      <h2 id="feed">
        {t("work.feed")} <span className="muted">{items.length}</span>
        {phase && (
          <button type="button" className="quiet" onClick={onAll}>
            {title} ✕ <span className="unseen">{t("work.feed.all")}</span>
          </button>
        )}
      </h2>
      {items.length === 0 && <p className="muted">{t("work.feed.empty")}</p>}
      <div
        className="feed-box card"
        ref={box}
        onScroll={onScroll}
        onPointerDown={onPress}
        onClick={onPress}
        tabIndex={0}
        role="region"
        aria-labelledby="feed"
      >
        <ol className="plain" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const item = pick(items, row.index);
            const patch = log.patchOf.get(item.key);
            return (
              <li
                key={row.key}
                ref={rows.measureElement}
                data-index={row.index}
                style={{ transform: `translateY(${row.start}px)` }}
                aria-setsize={items.length}
                aria-posinset={row.index + 1}
              >
                {isCall(item) ? (
                  <CallRow
                    call={item}
                    patch={patch}
                    isUndone={undone.has(patch?.number ?? -1)}
                    state={state}
                    title={log.titles.get(readText(item.given, "url"))}
                    unfolded={unfolded}
                  />
                ) : (
                  <WordRow word={item} />
                )}
              </li>
            );
          })}
        </ol>
      </div>
      {!follows && isLong && (
        <button type="button" className="newest" onClick={() => follow(true)}>
          ↓ {fresh > 0 ? t("list.new", { n: fresh }) : t("work.feed.newest")}
        </button>
      )}
    </section>
  );
}
