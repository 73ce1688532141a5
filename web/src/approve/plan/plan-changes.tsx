import type { Depth, PlanChange, PlanStep } from "../../api/client";
import { nameDepth } from "../../parts/depth-rows";
import { diffLists, diffWords, type Piece } from "../../parts/text/diff";
import { humanize } from "../../parts/text/humanize";
import { nameAgent } from "../../parts/text/name-agent";
import { Pieces } from "../../parts/text/pieces";
import { useWords, type Key, type Words } from "../../strings";
import { describeStep, LISTS, NUMBERS, PRICE_NAMES, STEP_NAMES, tellRow, TEXTS, type Row } from "./plan";
import { pick } from "../../parts/pick";

const NAMES: Record<string, Key> = {
  ...Object.fromEntries([...TEXTS, ...LISTS, ...NUMBERS].map((name) => [name, `plan.${name}` satisfies Key])),
  expanded_queries: "plan.expanded_queries",
  estimated_cost: "approve.price",
  estimated_duration: "approve.time",
  servers: "plan.servers",
};
const STEP_FIELD_NAMES: Record<string, Key> = Object.fromEntries(
  [...STEP_NAMES, "independent" as const].map((name) => [name, `plan.step.${name}` satisfies Key]),
);

/** How a plan differs from the one that was shown before it. */
export function PlanChanges({ changes }: { changes: PlanChange[] }) {
  const { t } = useWords();
  return (
    <section className="changes" aria-labelledby="changes">
      <h3 id="changes" className="label">
        {t("approve.changes")}
      </h3>
      {changes.length === 0 ? <p>{t("approve.changes.none")}</p> : <ChangeList changes={changes} />}
    </section>
  );
}

/** Changed fields of a plan, each with what it was and what it is. */
export function ChangeList({ changes }: { changes: PlanChange[] }) {
  const words = useWords();
  return (
    <dl>
      {changes.map((change) => (
        <div key={`${change.path} ${change.before === null}`}>
          <dt>{nameField(words.t, change.path)}</dt>
          <dd>
            <Difference change={change} show={(value) => showValue(words, change.path, value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Difference({
  change: { path, before, after },
  show,
}: {
  change: PlanChange;
  show: (value: unknown) => string;
}) {
  const { say } = useWords();
  if (Array.isArray(before) && Array.isArray(after)) {
    const tell = (row: unknown) => tellRow(row as Row, say);
    return (
      <ul className="plain">
        {pairRows(diffLists(before.map(tell), after.map(tell))).map((pieces, n) => (
          <li key={n}>
            <Pieces pieces={pieces} />
          </li>
        ))}
      </ul>
    );
  }
  if (isWholeStep(path)) return before === null ? <ins>{show(after)}</ins> : <del>{show(before)}</del>;
  const isSame = show(before) === show(after); // as it is shown, e.g. prices below a hundredth of a cent
  const [was, is] = isSame ? [JSON.stringify(before), JSON.stringify(after)] : [show(before), show(after)];
  return <Pieces pieces={diffWords(was, is)} />;
}

const STEP_PATH = /^steps\[(\d+)\](?:\.(\w+))?$/;

const isWholeStep = (path: string) => path.endsWith("]");

/** Return what a path is called: a field of the plan, or as `steps[1].name` of a step, which counts from 0. */
function nameField(t: Words["t"], path: string): string {
  const [, place, inner = ""] = STEP_PATH.exec(path) ?? [];
  if (place === undefined) return NAMES[path] ? t(NAMES[path]) : humanize(path);
  const name = STEP_FIELD_NAMES[inner] ? t(STEP_FIELD_NAMES[inner]) : humanize(inner);
  return [t("decision.step", { n: Number(place) + 1 }), name].filter(Boolean).join(": ");
}

/** Return a value of a field as it is shown; one that is not set has words, too. */
function showValue(words: Words, path: string, value: unknown): string {
  const { t, usd, say } = words;
  if (value === null || value === undefined) return t("plan.any");
  if (path === "depth") return t(nameDepth(value as Depth));
  if (path.endsWith(".agent_role")) return nameAgent(String(value), say);
  if (isWholeStep(path)) return showStep(value as PlanStep, words);
  if (typeof value === "boolean") return t(value ? "plan.step.independent" : "plan.step.dependent");
  if (path !== "estimated_cost") return String(value);
  return PRICE_NAMES.map((name) => usd((value as Record<typeof name, number>)[name])).join(" – ");
}

/** A step in a line, with each of its fields. */
const showStep = (step: PlanStep, words: Words) =>
  [step.name, step.description, ...describeStep(step, words)].filter(Boolean).join(" · ");

/** Rows that came, went, or were reworded: one that goes where one comes is shown by its words. */
function pairRows(rows: Piece<string>[]): Piece<string>[][] {
  const found: Piece<string>[][] = [];
  for (let n = 0; n < rows.length; n++) {
    const [row, next] = [pick(rows, n), rows[n + 1]];
    if (row.kind === "same") continue;
    if (row.kind === "removed" && next?.kind === "added") {
      found.push(diffWords(row.value, next.value));
      n++;
    } else found.push([row]);
  }
  return found;
}
