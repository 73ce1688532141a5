import { useWords } from "../../strings";
import type { DraftPhase, Kinds } from "../definition/draft";
import { findKinds, findMissing } from "../definition/missing";

interface Given {
  phases: DraftPhase[];
  index: number;
  kinds: Kinds;
  /** Put a new phase of a kind before this one. */
  onAddBefore: (kind: string) => void;
}

/** Offers the phases that give what nothing before this one gives. */
export function MissingPhases({ phases, index, kinds, onAddBefore }: Given) {
  const { t } = useWords();
  const givers = findKinds(findMissing(phases, index, kinds), kinds);
  if (givers.length === 0) return null;
  return (
    <div className="row">
      {givers.map((giver) => (
        <button key={giver.kind} type="button" onClick={() => onAddBefore(giver.kind)}>
          {t("compose.add.giver", { phase: giver.title })}
        </button>
      ))}
    </div>
  );
}
