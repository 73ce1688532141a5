import { diffLists, diffWords, type Piece } from "../parts/text/diff";
import { useWords, type Key } from "../strings";
import { joinSearches, LISTS, TEXTS, type Plan } from "./plan";

/** What a revision changed, by the part of the plan it is in. */
export function PlanChanges(plans: { before: Plan; after: Plan }) {
  const { t } = useWords();
  const [before, after] = [joinSearches(plans.before), joinSearches(plans.after)];
  const texts = TEXTS.filter((name) => before[name] !== after[name]);
  const steps = (plan: Plan) => plan.steps.map((step) => [step.name, step.description].filter(Boolean).join(": "));
  const lists: [Key, string[], string[]][] = [
    ["plan.steps", steps(before), steps(after)],
    ...LISTS.map((name): [Key, string[], string[]] => [`plan.${name}`, before[name], after[name]]),
  ];
  const changed = lists.filter(([, a, b]) => JSON.stringify(a) !== JSON.stringify(b));
  return (
    <section className="changes" aria-labelledby="changes">
      <h3 id="changes">{t("approve.changes")}</h3>
      {texts.length + changed.length === 0 && <p>{t("approve.changes.none")}</p>}
      <dl>
        {texts.map((name) => (
          <div key={name}>
            <dt>{t(`plan.${name}` satisfies Key)}</dt>
            <dd>
              <Pieces pieces={diffWords(before[name], after[name])} />
            </dd>
          </div>
        ))}
        {changed.map(([name, a, b]) => (
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
