/** What a run costs and takes at each depth, a row each. */

import type { ReactNode } from "react";

import type { Depth, DepthPrice } from "../api/client";
import { useWords, type Key } from "../strings";
import { tellDepthsApart } from "./depth-facts";
import { Facts } from "./text/facts";

interface Given {
  depths: DepthPrice[];
  /** Draws a row around its words. */
  children: (depth: Depth, words: ReactNode) => ReactNode;
}

export const nameDepth = (depth: Depth): Key => `depth.${depth}`;

/** Rows hold what differs between them. */
export function DepthRows({ depths, children }: Given) {
  const words = useWords();
  const facts = tellDepthsApart(depths, words);
  return depths.map(({ depth }, n) =>
    children(
      depth,
      <>
        <b>{words.t(nameDepth(depth))}</b>{" "}
        <span className="muted">
          <Facts of={facts[n] ?? []} />
        </span>
      </>,
    ),
  );
}

/** Whether the prices of the rows are billed, and how many runs their times were measured in. */
export function DepthBasis({ depths, offline }: { depths: DepthPrice[]; offline: boolean }) {
  const { t } = useWords();
  const runs = depths.reduce((sum, { minutes }) => sum + (minutes.runs ?? 0), 0);
  const said = [offline && t("depth.offline"), runs > 0 && t("depth.time.measured", { n: runs })].filter(Boolean);
  return said.length > 0 ? <p className="muted">{said.join(" ")}</p> : null;
}
