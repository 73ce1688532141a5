import { useState, type KeyboardEvent } from "react";

import type { FieldProblem, Kind } from "../../api/client";
import { useWords } from "../../strings";
import { nameField, nameOption } from "../../parts/form/field-words";
import { findChoices, readId, readTitle, type DraftPhase, type Kinds } from "../definition/draft";
import { pressable } from "./pressable";

interface Given {
  phase: DraftPhase;
  kind: Kind | undefined;
  kinds: Kinds;
  problems: FieldProblem[];
  isChosen: boolean;
  onPress: (isByKey: boolean) => void;
  onShift: (by: -1 | 1) => void;
  onRemove: () => void;
  /** The phase itself, or a line from it to another, is being dragged; null: no more. */
  onDrag: (as: "phase" | "line" | null) => void;
  /** Null: what is dragged cannot be dropped here. */
  onDrop: (() => void) | null;
}

/** A phase of the graph: its title, what it does, and what is wrong with it. */
export function PhaseCard({
  phase,
  kind,
  kinds,
  problems,
  isChosen,
  onPress,
  onShift,
  onRemove,
  onDrag,
  onDrop,
}: Given) {
  const { t, say, number } = useWords();
  const [isOver, setOver] = useState(false);
  const press = pressable(onPress);
  const facts = [
    phase["title"] ? kind?.title : null,
    phase["enabled"] === false && t("compose.off"),
    kind?.waits && t("compose.waits"),
    kind?.web && t("compose.web"),
  ].filter(Boolean);
  const choices = kind ? findChoices(phase, kind).map(([name, value]) => describe(name, value)) : [];
  const wrong = problems.map((one) => say(one, one.message));

  /** A choice in a few words; of a value with parts the name alone. */
  function describe(name: string, value: unknown): string {
    const called = nameField(name, say);
    if (value === true) return called;
    if (value === false) return t("compose.card.off", { field: called });
    if (typeof value === "string" && value.length > 0) return `${called}: ${nameOption(value, say)}`;
    return typeof value === "number" ? `${called}: ${number(value)}` : called;
  }

  function onKeyDown(event: KeyboardEvent) {
    const by = event.altKey && { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by) {
      event.preventDefault();
      onShift(by as -1 | 1);
    } else if (event.key === "Delete" || event.key === "Backspace") onRemove();
    else press.onKeyDown(event);
  }

  return (
    <>
      <div
        {...press}
        className="phase-card"
        aria-pressed={isChosen}
        data-wrong={problems.length > 0 || undefined}
        data-off={phase["enabled"] === false || undefined}
        data-over={(isOver && onDrop !== null) || undefined}
        draggable
        onKeyDown={onKeyDown}
        onDragStart={(event) => {
          event.dataTransfer.setData("text/plain", readId(phase));
          onDrag("phase");
        }}
        onDragEnd={() => onDrag(null)}
        onDragEnter={() => setOver(true)}
        onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setOver(false)}
        onDragOver={(event) => onDrop && event.preventDefault()}
        onDrop={(event) => {
          if (!onDrop) return;
          event.preventDefault();
          event.stopPropagation();
          setOver(false);
          onDrop();
        }}
      >
        <b>{readTitle(phase, kinds)}</b>
        {facts.length > 0 && <small>{facts.join(" · ")}</small>}
        {wrong.length === 0 && choices.length > 0 && (
          <small className="choices" title={choices.join("\n")}>
            {choices.join(" · ")}
          </small>
        )}
        {wrong.length > 0 && (
          <small className="wrong" title={wrong.join("\n")}>
            {wrong[0]}
            {wrong.length > 1 && ` (+${wrong.length - 1})`}
          </small>
        )}
      </div>
      <span
        className="line-handle"
        title={t("compose.line")}
        aria-hidden
        draggable
        onDragStart={(event) => {
          event.dataTransfer.setData("text/plain", readId(phase));
          event.dataTransfer.effectAllowed = "link";
          onDrag("line");
        }}
        onDragEnd={() => onDrag(null)}
      />
    </>
  );
}
