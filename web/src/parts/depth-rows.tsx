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

/** Rows hold what differs between them; where nothing is billed, no price. */
export function DepthRows({ depths, offline, children }: Given) {
  const { t } = useWords();
  const sayTime = useTime();
  const { prices, isOne } = usePrices(depths);
  return depths.map(({ depth, minutes }, n) => {
    const differs = [!offline && !isOne && prices[n], !isOneTime(depths) && sayTime(minutes)].filter(Boolean);
    return children(
      depth,
      <>
        <b>{t(nameDepth(depth))}</b> {differs.length > 0 && <span className="muted">{differs.join(", ")}</span>}
      </>,
    );
  });
}

/** What depths cost where their rows do not say it: the same, or nothing here, and what they would cost with a model. */
export function useDepthPrices(depths: DepthPrice[], offline: boolean): string {
  const { t } = useWords();
  const { prices, isOne } = usePrices(depths);
  if (isOne) return t(offline ? "depth.offline.same" : "depth.price.same", { price: prices[0] ?? "" });
  const named = depths.map(({ depth }, n) => `${t(nameDepth(depth)).toLowerCase()} ${prices[n]}`);
  return offline ? t("depth.offline", { prices: named.join("; ") }) : "";
}

function usePrices(depths: DepthPrice[]) {
  const { t, usd } = useWords();
  const prices = depths.map(({ price }) =>
    t("depth.row", { expected: usd(price.expected_usd), top: usd(price.top_usd) }),
  );
  return { prices, isOne: new Set(prices).size === 1 };
}

/** Why depths of different prices take the same time; empty where their times differ. */
function useSameTime(depths: DepthPrice[]): string {
  const { t } = useWords();
  const pairs = depths.flatMap((one, n) => depths.slice(n + 1).map((other) => [one, other] as const));
  const alike = pairs.filter(
    ([one, other]) =>
      toSpan(one.minutes) === toSpan(other.minutes) && one.price.expected_usd !== other.price.expected_usd,
  );
  if (alike.length === 0) return "";
  const count = ({ minutes }: DepthPrice) => minutes.agents ?? 1;
  if (!alike.every(([one, other]) => count(one) < count(other))) return t("depth.time.close");
  const agents = depths.map((each) => `${t(nameDepth(each.depth)).toLowerCase()} ${count(each)}`).join(", ");
  return t("depth.time.agents", { agents });
}

/** The time of all depths where it is the same, why it is the same where prices differ, and what it was measured in. */
export function DepthTime({ depths }: { depths: DepthPrice[] }) {
  const { t } = useWords();
  const sayTime = useTime();
  const why = useSameTime(depths);
  const runs = depths.reduce((sum, { minutes }) => sum + (minutes.runs ?? 0), 0);
  const [first] = depths;
  const same = first && isOneTime(depths) ? t("depth.time.same", { time: sayTime(first.minutes) }) : "";
  const measured = runs > 0 ? t("depth.time.measured", { n: runs }) : "";
  const said = [same, why, measured].filter(Boolean);
  return said.length > 0 ? <p className="muted">{said.join(" ")}</p> : null;
}

function useTime() {
  const { t } = useWords();
  return (minutes: Minutes) => t("depth.time", { n: minutes.high, span: toSpan(minutes) });
}
