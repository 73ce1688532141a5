/** What a run costs and takes at each depth, a row each. */

import type { ReactNode } from "react";

import type { Depth, DepthPrice } from "../api/client";
import { useWords, type Key } from "../strings";

interface Given {
  depths: DepthPrice[];
  offline: boolean;
  /** Draws a row around its words. */
  children: (depth: Depth, words: ReactNode) => ReactNode;
}

export const nameDepth = (depth: Depth): Key => `depth.${depth}`;

type Minutes = DepthPrice["minutes"];

/** Word joiners keep a span on one line. */
const toSpan = ({ low, high }: Minutes) => (low === high ? String(low) : `${low}\u2060–\u2060${high}`);

/** Whether all depths take the same time, which is then shown only once. */
const isOneTime = (depths: DepthPrice[]) => new Set(depths.map(({ minutes }) => toSpan(minutes))).size === 1;

export function DepthRows({ depths, offline, children }: Given) {
  const { t, usd } = useWords();
  const sayTime = useTime();
  return depths.map(({ depth, price, minutes }) =>
    children(
      depth,
      <>
        <b>{t(nameDepth(depth))}</b>{" "}
        <span className="muted">
          {t(offline ? "depth.row.offline" : "depth.row", {
            expected: usd(price.expected_usd),
            top: usd(price.top_usd),
          })}
          {!isOneTime(depths) && `, ${sayTime(minutes)}`}
        </span>
      </>,
    ),
  );
}

/** The time of all depths where it is the same, and what it was measured in. */
export function DepthTime({ depths }: { depths: DepthPrice[] }) {
  const { t } = useWords();
  const sayTime = useTime();
  const runs = depths.reduce((sum, { minutes }) => sum + (minutes.runs ?? 0), 0);
  const [first] = depths;
  const same = first && isOneTime(depths) ? t("depth.time.same", { time: sayTime(first.minutes) }) : "";
  const measured = runs > 0 ? t("depth.time.measured", { n: runs }) : "";
  return same || measured ? (
    <p className="muted">
      {same} {measured}
    </p>
  ) : null;
}

function useTime() {
  const { t } = useWords();
  return (minutes: Minutes) => t("depth.time", { n: minutes.high, span: toSpan(minutes) });
}
