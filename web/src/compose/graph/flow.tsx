/** The phases from top to bottom: each below all that it comes after, parallel ones side by side. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState, type DragEvent, type RefObject } from "react";

import { layOut, type Place } from "../../parts/phases/graph-layout";
import { useWords } from "../../strings";
import { readId, type DraftPhase, type Kinds } from "../definition/draft";
import { findPredecessors, findSpotBehind, type Side, type Spot } from "../definition/edits";
import type { Problems } from "../definition/problems";
import { isPhase, type Dragged } from "./drag";
import { PhaseCard } from "./phase-card";
import { pick } from "../../parts/pick";

const WIDTH = 232;
/** Minimum width of a card, so that its title is readable; cards shrink to fit branches next to each other. */
const LEAST_WIDTH = 128;
const HEIGHT = 92;
const GAP_X = 28;
const GAP_Y = 38;
/** Distance between a line that passes a row and the row's phases. */
const BOW = 22;

interface Given {
  phases: DraftPhase[];
  kinds: Kinds;
  problems: Problems;
  chosen: number | null;
  /** At which side of the chosen phase the next one is put; null: none is being added. */
  nextSide: Side | null;
  /** On a small window the list covers a part of the graph. */
  isListOpen: boolean;
  dragged: Dragged | null;
  onChoose: (index: number, isByKey: boolean) => void;
  onShift: (index: number, by: -1 | 1) => void;
  onRemove: (index: number) => void;
  onDrag: (dragged: Dragged | null) => void;
  onDrop: (spot: Spot) => void;
  onConnect: (to: number) => void;
}

export function Flow({
  phases,
  kinds,
  problems,
  chosen,
  nextSide,
  isListOpen,
  dragged,
  onDrag,
  onDrop,
  onConnect,
  ...actions
}: Given) {
  const { t } = useWords();
  const places = useMemo(() => layOut(phases.map(readId), findPredecessors(phases)), [phases]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const card = chosen === null ? null : box.current?.querySelector<HTMLElement>('[aria-pressed="true"]');
    card?.scrollIntoView({ block: "nearest" });
    if (document.activeElement?.matches(".phase-card")) card?.focus({ preventScroll: true }); // it moved on
  }, [chosen, phases.length, isListOpen]);
  const room = useRoom(box);
  const lanes = Math.max(0, ...places.map(({ lane }) => lane)) + 1;
  const rows = Math.max(-1, ...places.map(({ depth }) => depth)) + 1;
  const fitting = Math.floor((room - BOW + GAP_X) / lanes) - GAP_X;
  const plan = placeCards(Math.max(LEAST_WIDTH, Math.min(WIDTH, fitting)));
  const width = lanes * (plan.width + GAP_X) - GAP_X + BOW;
  const height = rows * (HEIGHT + GAP_Y) + GAP_Y;
  const isTarget = isPhase(dragged);
  const end = findSpotBehind(phases, null);
  const take = (spot: Spot) => (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onDrop(spot);
  };
  return (
    <div
      className="flow"
      role="region"
      aria-label={t("compose.graph")}
      tabIndex={0}
      ref={box}
      data-dragging={isTarget || undefined}
      data-shows-itself
      onDragOver={(event) => isTarget && event.preventDefault()}
      onDrop={isTarget ? take(end) : undefined}
    >
      {phases.length === 0 ? (
        <p className="flow-empty">{t("compose.empty")}</p>
      ) : (
        <div className="flow-space" style={{ width, height }}>
          <Lines places={places} plan={plan} width={width} height={height} />
          <ol className="plain">
            {phases.map((phase, n) => (
              <li
                key={n}
                style={{ left: plan.x(pick(places, n)), top: y(pick(places, n)), width: plan.width, height: HEIGHT }}
              >
                <PhaseCard
                  phase={phase}
                  kind={kinds.get(String(phase["kind"]))}
                  kinds={kinds}
                  problems={problems.ofPhases.get(n) ?? []}
                  isChosen={chosen === n}
                  onPress={(isByKey) => actions.onChoose(n, isByKey)}
                  onShift={(by) => actions.onShift(n, by)}
                  onRemove={() => actions.onRemove(n)}
                  onDrag={(as) =>
                    onDrag(as === "phase" ? { index: n } : as === "line" ? { from: readId(phase) } : null)
                  }
                  onDrop={
                    dragged && !("index" in dragged && dragged.index === n)
                      ? () => (isTarget ? onDrop({ after: readId(phase), before: [] }) : onConnect(n))
                      : null
                  }
                />
              </li>
            ))}
          </ol>
          {nextSide && chosen !== null && !dragged && (
            <NextSpot place={pick(places, chosen)} plan={plan} side={nextSide} />
          )}
          {isTarget &&
            findSpots(phases, places, plan).map(({ spot, left, top }) => (
              <DropSpot key={`${left} ${top}`} left={left} top={top} onDrop={take(spot)} />
            ))}
        </div>
      )}
      {isTarget && phases.length > 0 && <p className="flow-hint">{t("compose.drop.hint")}</p>}
    </div>
  );
}

/** Horizontal positions of cards with this width, and the side on which lines pass them. */
interface CardPlan {
  width: number;
  x: (place: Place) => number;
  side: (from: Place, to: Place) => number;
}

function placeCards(width: number): CardPlan {
  const x = ({ lane }: Place) => lane * (width + GAP_X);
  return { width, x, side: (from, to) => Math.max(x(from), x(to)) + width + BOW * 0.75 };
}

/** The width within a box, now and whenever it changes. */
function useRoom(box: RefObject<HTMLElement | null>): number {
  const [room, setRoom] = useState(Infinity);
  useLayoutEffect(() => {
    const measured = box.current!;
    const { paddingLeft, paddingRight } = getComputedStyle(measured);
    const measure = () => setRoom(measured.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, [box]);
  return room;
}

const y = ({ depth }: Place) => depth * (HEIGHT + GAP_Y) + GAP_Y;

/** A line runs straight to the next row, and around the phases of rows that it passes. */
function findPath(from: Place, to: Place, { x, width, side: findSide }: CardPlan): string {
  const [x1, y1, x2, y2] = [x(from) + width / 2, y(from) + HEIGHT, x(to) + width / 2, y(to)];
  if (to.depth === from.depth + 1) {
    return `M${x1} ${y1} C${x1} ${y1 + GAP_Y / 2} ${x2} ${y2 - GAP_Y / 2} ${x2} ${y2}`;
  }
  const [side, start, end] = [findSide(from, to), y(from) + HEIGHT / 2, y(to) + HEIGHT / 2];
  return `M${x(from) + width} ${start} C${side} ${start} ${side} ${start} ${side} ${start + 24} V${end - 24} C${side} ${end} ${side} ${end} ${x(to) + width} ${end}`;
}

interface LinesGiven {
  places: Place[];
  plan: CardPlan;
  width: number;
  height: number;
}

function Lines({ places, plan, width, height }: LinesGiven) {
  return (
    <svg width={width} height={height} aria-hidden>
      {places.flatMap((place, n) =>
        place.after.map((other) => <path key={`${other} ${n}`} d={findPath(pick(places, other), place, plan)} />),
      )}
    </svg>
  );
}

/** Marks where the next phase is put that is added by a press. */
function NextSpot({ place, plan: { x, width }, side }: { place: Place; plan: CardPlan; side: Side }) {
  const top = y(place) + (side === "before" ? 0 : side === "behind" ? HEIGHT : HEIGHT / 2);
  return (
    <span
      className="next-spot"
      aria-hidden
      data-side={side}
      style={{ left: x(place) + (side === "beside" ? width : width / 2), top }}
    >
      +
    </span>
  );
}

interface DropPlace {
  spot: Spot;
  left: number;
  top: number;
}

/** Return where a phase can be dropped: above the first ones, on each line, and below the last ones. */
function findSpots(phases: DraftPhase[], places: Place[], { x, width, side }: CardPlan): DropPlace[] {
  const last = new Set(places.map((_, n) => n));
  const found: DropPlace[] = [];
  places.forEach((to, n) => {
    const before = [readId(pick(phases, n))];
    if (to.after.length === 0)
      found.push({ spot: { after: null, before }, left: x(to) + width / 2, top: y(to) - GAP_Y / 2 });
    for (const other of to.after) {
      last.delete(other);
      const from = pick(places, other);
      const isNext = to.depth === from.depth + 1;
      const left = isNext ? (x(from) + x(to) + width) / 2 : side(from, to);
      const top = (y(from) + HEIGHT + y(to)) / 2;
      found.push({ spot: { after: readId(pick(phases, other)), before }, left, top });
    }
  });
  for (const n of last) {
    const place = pick(places, n);
    const spot = { after: readId(pick(phases, n)), before: [] };
    found.push({ spot, left: x(place) + width / 2, top: y(place) + HEIGHT + GAP_Y / 2 });
  }
  return found;
}

function DropSpot({ left, top, onDrop }: { left: number; top: number; onDrop: (event: DragEvent) => void }) {
  const [isOver, setOver] = useState(false);
  return (
    <span
      className="drop-spot"
      style={{ left, top }}
      data-over={isOver || undefined}
      onDragEnter={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      +
    </span>
  );
}
