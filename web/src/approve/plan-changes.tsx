import type { Plan, PlanStep } from "../api/client";
import { diffLists, diffWords, type Piece } from "../parts/text/diff";
import { humanize } from "../parts/text/humanize";
import { useWords, type Key } from "../strings";
import { joinSearches, LISTS, NUMBERS, PRICE_NAMES, STEP_NAMES, TEXTS } from "./plan";

/** What a revision changed, by the part of the plan it is in. */
export function PlanChanges(plans: { before: Plan; after: Plan }) {
  const { t, usd } = useWords();
  const [before, after] = [joinSearches(plans.before), joinSearches(plans.after)];
  const price = (plan: Plan) => PRICE_NAMES.map((name) => usd(plan.estimated_cost[name])).join(" – ");
  const lines: [Key, string, string][] = [
    ...TEXTS.map((name): [Key, string, string] => [`plan.${name}`, before[name], after[name]]),
    ...NUMBERS.map((name): [Key, string, string] => [`plan.${name}`, String(before[name] ?? t("plan.any")), String(after[name] ?? t("plan.any"))]),
    ["approve.price", price(before), price(after)],
    ["approve.time", before.estimated_duration, after.estimated_duration],
  ];
  const steps = (plan: Plan) => plan.steps.map(describeStep);
  const lists: [Key, string[], string[]][] = [
    ["plan.steps", steps(before), steps(after)],
    ...LISTS.map((name): [Key, string[], string[]] => [`plan.${name}`, before[name], after[name]]),
  ];
  const changedLines = lines.filter(([, a, b]) => a !== b);
  const changedLists = lists.filter(([, a, b]) => JSON.stringify(a) !== JSON.stringify(b));
  return (
    <section className="changes" aria-labelledby="changes">
      <h3 id="changes">{t("approve.changes")}</h3>
      {changedLines.length + changedLists.length === 0 && <p>{t("approve.changes.none")}</p>}
      <dl>
        {changedLines.map(([name, a, b]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>
              <Pieces pieces={diffWords(a, b)} />
            </dd>
          </div>
        ))}
        {changedLists.map(([name, a, b]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>
              <ul>
                {pairRows(diffLists(a, b)).map((pieces, n) => (
                  <li key={n}>
                    <Pieces pieces={pieces} />
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** A step in a line, with each of its fields. */
const describeStep = (step: PlanStep) =>
  STEP_NAMES.map((name) => (name === "agent_role" ? humanize(step[name]) : step[name]))
    .filter(Boolean)
    .join(" · ");

/** Rows that came, went, or were reworded: one that goes where one comes is shown by its words. */
function pairRows(rows: Piece<string>[]): Piece<string>[][] {
  const found: Piece<string>[][] = [];
  for (let n = 0; n < rows.length; n++) {
    const [row, next] = [rows[n]!, rows[n + 1]];
    if (row.kind === "same") continue;
    if (row.kind === "removed" && next?.kind === "added") {
      found.push(diffWords(row.value, next.value));
      n++;
    } else found.push([row]);
  }
  return found;
}

export function Pieces({ pieces }: { pieces: Piece<string>[] }) {
  return pieces.map(({ kind, value }, n) => {
    if (kind === "added") return <ins key={n}>{value}</ins>;
    if (kind === "removed") return <del key={n}>{value}</del>;
    return <span key={n}>{value}</span>;
  });
}
