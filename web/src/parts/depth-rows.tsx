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

export function DepthRows({ depths, offline, children }: Given) {
  const { t, usd } = useWords();
  return depths.map(({ depth, price, minutes }) =>
    children(
      depth,
      <>
        <b>{t(nameDepth(depth))}</b>{" "}
        <span className="muted">
          {t(offline ? "depth.row.offline" : "depth.row", {
            expected: usd(price.expected_usd),
            top: usd(price.top_usd),
            n: minutes,
          })}
        </span>
      </>,
    ),
  );
}
