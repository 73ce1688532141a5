import type { Kind } from "../../api/client";
import { useWords, type Key } from "../../strings";
import type { Kinds } from "../definition/draft";
import { SIDES, type Side } from "../definition/edits";
import type { Dragged } from "./drag";
import { pressable } from "./pressable";

const CATEGORIES = ["clarify", "plan", "execute"] as const;

interface Given {
  kinds: Kinds;
  /** Where a phase goes that is added by pressing: in words, and at which side of the chosen phase. */
  spot: string;
  side: Side;
  /** Null: no phase is chosen, and the next one is put at the end. */
  onSide: ((side: Side) => void) | null;
  /** What there is so far, where the list hides the graph. */
  order: string | null;
  onAdd: (kind: string) => void;
  onDrag: (dragged: Dragged | null) => void;
}

/**
 * The available kinds of phases: a press adds one where the head says, and a drag adds it at the drop target.
 */
export function Palette({ kinds, spot, side, onSide, order, onAdd, onDrag }: Given) {
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
        <div className="next-sides" role="group" aria-label={t("compose.side")}>
          {SIDES.map((one) => (
            <button
              key={one}
              type="button"
              className="quiet"
              disabled={onSide === null}
              aria-pressed={side === one}
              onClick={() => onSide?.(one)}
            >
              {t(`compose.side.${one}` satisfies Key)}
            </button>
          ))}
        </div>
        <small aria-live="polite">
          {spot} {order === null && t("compose.palette.drag")}
        </small>
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
