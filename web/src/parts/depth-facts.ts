/** What tells the depths of a run apart: a fact is said of each depth only where they differ in it. */

import type { DepthPrice } from "../api/client";
import type { Words } from "../strings";

type Minutes = DepthPrice["minutes"];

/** Word joiners keep a span on one line. */
const toSpan = ({ low, high }: Minutes) => (low === high ? String(low) : `${low}\u2060–\u2060${high}`);

export const sayMinutes = (minutes: Minutes, { t }: Words) =>
  t("depth.time", { n: minutes.high, span: toSpan(minutes) });

/** Return for each depth its price, time and number of agents, each only where it is not the same at all depths. */
export function tellDepthsApart(depths: DepthPrice[], words: Words): string[][] {
  const { t, usd } = words;
  const facts = depths.map(({ price, minutes }) => [
    t("depth.row", { expected: usd(price.expected_usd), top: usd(price.top_usd) }),
    sayMinutes(minutes, words),
    t("depth.agents", { n: minutes.agents ?? 1 }),
  ]);
  return facts.map((own) => own.filter((fact, n) => facts.some((other) => other[n] !== fact)));
}
