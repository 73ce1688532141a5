import type { Kind } from "../../api/client";
import { useWords, type Key } from "../../strings";
import type { Kinds } from "../definition/draft";
import type { Dragged } from "./drag";
import { pressable } from "./pressable";

const CATEGORIES = ["clarify", "plan", "execute"] as const;

interface Given {
  kinds: Kinds;
  /** What a phase that is added by pressing comes after. */
  behind: string | null;
  /** What there is so far, where the list hides the graph. */
  order: string | null;
  /** Whether it begins a branch there; offered once a phase is chosen to branch from, and in its place before. */
  branches: { isBranch: boolean; isOffered: boolean; onChange: (isBranch: boolean) => void };
  onAdd: (kind: string) => void;
  onDrag: (dragged: Dragged | null) => void;
}

/**
 * The available kinds of phases: a press adds one after the selected phase, and a drag adds it at the drop target.
 */
export function Palette({ kinds, behind, order, branches, onAdd, onDrag }: Given) {
  const { t } = useWords();
  const draw = ({ kind, title, description }: Kind) => (
    <li key={kind}>
      <div
        className="kind"
        draggable
        {...pressable(() => onAdd(kind))}
        onDragStart={(event) => {
          event.dataTransfer.setData("text/plain", kind);
          event.dataTransfer.effectAllowed = "copy";
          onDrag({ kind });
        }}
        onDragEnd={() => onDrag(null)}
      >
        <b>{title}</b>
        <small>{description}</small>
      </div>
    </li>
  );
  return (
    <>
      <div className="palette-head">
        {order !== null && (
          <div className="order">
            <p>{order}</p>
          </div>
        )}
        <small>
          {behind ? t("compose.palette.behind", { phase: behind }) : t("compose.palette.hint")}{" "}
          {order === null && t("compose.palette.drag")}
        </small>
        <label className="check">
          <input
            type="checkbox"
            checked={branches.isBranch}
            disabled={!branches.isOffered}
            onChange={(event) => branches.onChange(event.target.checked)}
          />
          {t("compose.palette.branch")}
        </label>
      </div>
      {CATEGORIES.map((category) => (
        <section key={category} aria-labelledby={`kinds-${category}`}>
          <h3 className="label" id={`kinds-${category}`}>
            {t(`compose.category.${category}` satisfies Key)}
          </h3>
          <ul className="kinds">{[...kinds.values()].filter((kind) => kind.category === category).map(draw)}</ul>
        </section>
      ))}
    </>
  );
}
