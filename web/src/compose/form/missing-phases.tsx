import type { Kind } from "../../api/client";
import { useWords } from "../../strings";
import { findNeeds, readId, readText, type DraftPhase, type Kinds } from "../definition/draft";
import { findAncestors } from "../definition/edits";
import { pick } from "../../parts/pick";

/** What a phase that reaches the web must come after, beside what it reads. */
const APPROVAL = "approval";

interface Given {
  phases: DraftPhase[];
  index: number;
  kind: Kind;
  kinds: Kinds;
  /** Put a new phase of a kind before this one. */
  onAddBefore: (kind: string) => void;
}

/** Offers the phases that give what nothing before this one gives; an approval is of a plan, and so comes last. */
export function MissingPhases({ phases, index, kind, kinds, onAddBefore }: Given) {
  const { t } = useWords();
  const before = findAncestors(phases, index);
  const isGiven = (value: string) =>
    phases.some((one) => before.has(readId(one)) && kinds.get(readText(one["kind"]))?.provides.includes(value));
  const { needs, web } = findNeeds(pick(phases, index), kind);
  const needed = needs.filter(({ required, anything }) => required && !anything).map(({ name }) => name);
  const unread = needed.filter((name) => !isGiven(name));
  const missing = unread.length > 0 || !web || isGiven(APPROVAL) ? unread : [APPROVAL];
  const givers = [...kinds.values()].filter(({ provides }) => missing.some((name) => provides.includes(name)));
  if (givers.length === 0) return null;
  return (
    <div className="row">
      {givers.map((giver) => (
        <button key={giver.kind} type="button" onClick={() => onAddBefore(giver.kind)}>
          {t("compose.add.before", { phase: giver.title })}
        </button>
      ))}
    </div>
  );
}
