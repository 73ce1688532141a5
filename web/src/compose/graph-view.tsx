/** The graph with what can be added to it, and the form of the phase that is chosen. */

import { useRef, useState } from "react";

import { ONE_COLUMN, useMedia } from "../parts/hooks/media";
import { MoreBelow } from "../parts/scrolling/more-below";
import { useWords, type Key } from "../strings";
import { readId, readTitle, type DraftPhase, type Kinds } from "./definition/draft";
import {
  connect,
  disconnect,
  findNeighbours,
  findSpotBefore,
  makePhase,
  move,
  place,
  placeAt,
  remove,
  rename,
  shift,
  SIDES,
  type Side,
  type Spot,
} from "./definition/edits";
import type { History } from "./definition/history";
import { tellPhases } from "./definition/order";
import type { Problems } from "./definition/problems";
import { DefinitionForm } from "./form/definition-form";
import { PhaseForm } from "./form/phase-form";
import type { Dragged } from "./graph/drag";
import { Flow } from "./graph/flow";
import { Palette } from "./graph/palette";
import "./graph/graph.css";
import { pick } from "../parts/pick";

interface Given {
  history: History;
  kinds: Kinds;
  problems: Problems;
  isStored: boolean;
  chosen: number | null;
  onChoose: (index: number | null) => void;
  panels: Panels;
  onPanels: (panels: Panels) => void;
  onMend: () => void;
}

/** What lies beside the graph, on a small window over it. */
export interface Panels {
  /** Left out: as the window has room. */
  isListOpen?: boolean;
  /** The form of the chosen phase was closed where it lies over the graph; the phase stays chosen. */
  isFormClosed: boolean;
}

/** Where the form lies over the graph, as in `graph.css`. */
const FORM_OVER = "(max-width: 70rem)";

export function GraphView({ history, kinds, problems, isStored, chosen, onChoose, panels, onPanels, onMend }: Given) {
  const { t } = useWords();
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [said, setSaid] = useState("");
  const isSheet = useMedia(FORM_OVER);
  const isNarrow = useMedia(ONE_COLUMN);
  const { isListOpen = !isNarrow || history.definition.phases.length === 0, isFormClosed } = panels;
  /** Where list and form both lie over the graph, closing the list leads back to the graph, and not to the form. */
  const setListOpen = (isOpen: boolean) =>
    onPanels({ isListOpen: isOpen, isFormClosed: isFormClosed || (isNarrow && !isOpen) });
  const [chosenSide, setSide] = useState<Side>("behind");
  const form = useRef<HTMLHeadingElement>(null);
  const { definition } = history;
  const { phases } = definition;
  const phase = chosen === null ? undefined : phases[chosen];
  const isFormShown = phase !== undefined && !(isSheet && isFormClosed);

  /** Write phases; the selected phase is found again at its new position. */
  function write(changed: DraftPhase[], shown: DraftPhase | null) {
    history.edit({ ...definition, phases: changed });
    const isShown = (one: DraftPhase) => shown !== null && (one === shown || readId(one) === readId(shown));
    const at = changed.findIndex(isShown);
    onChoose(at < 0 ? null : at);
  }

  /** Choose a card by pressing it; where its form lies over the graph it is shown before the choice is dropped. */
  function choose(index: number, isByKey: boolean) {
    const isShown = isFormShown && !(isNarrow && isListOpen);
    onChoose(chosen === index && isShown && !isByKey ? null : index);
    onPanels({ isListOpen: !isNarrow && isListOpen, isFormClosed: false });
    if (isByKey) requestAnimationFrame(() => form.current?.focus());
  }

  const side = phase ? chosenSide : "behind";

  function add(kind: string, to: Spot | Side, shown?: DraftPhase) {
    const made = makePhase(kind, phases);
    write(typeof to === "string" ? placeAt(phases, made, chosen, to) : place(phases, made, to), shown ?? made);
    if (to === "before") setSide("behind"); // the next one follows the new one, in line
    onPanels({ isListOpen, isFormClosed: false }); // an open list stays open for the next one
    setSaid(t("compose.said.added", { phase: kinds.get(kind)?.title ?? kind }));
  }

  /** Open the list over the form for what is put at a side of the chosen phase. */
  function addAt(next: Side) {
    setSide(next);
    onPanels({ isListOpen: true, isFormClosed: false });
  }

  /** Say between which phases the next one will stand. */
  function describeSpot(): string {
    const { after, before } = findNeighbours(phases, phase ? chosen : null, side);
    const name = (some: DraftPhase[]) =>
      some.map((one) => t("compose.quoted", { phase: readTitle(one, kinds) })).join(", ");
    const places = { after: name(after), before: name(before) };
    if (after.length === 0) return t(before.length > 0 ? "compose.spot.first" : "compose.spot.start", places);
    return t(before.length > 0 ? "compose.spot.between" : "compose.spot.end", places);
  }

  function drop(spot: Spot) {
    if (!dragged || "from" in dragged) return;
    if ("kind" in dragged) add(dragged.kind, spot);
    else write(move(phases, dragged.index, spot), pick(phases, dragged.index));
    setDragged(null);
  }

  function shiftPhase(index: number, by: -1 | 1) {
    write(shift(phases, index, by), pick(phases, index));
    setSaid(t("compose.said.moved", { phase: readTitle(pick(phases, index), kinds) }));
  }

  function removePhase(index: number) {
    write(remove(phases, index), null);
    setSaid(t("compose.said.removed", { phase: readTitle(pick(phases, index), kinds) }));
  }

  if (history.isBroken) {
    return (
      <div className="notice" data-kind="wait">
        <p>{t("compose.broken")}</p>
        <div className="row">
          <button type="button" onClick={onMend}>
            {t("compose.broken.mend")}
          </button>
          <button type="button" onClick={history.drop}>
            {t("compose.broken.drop")}
          </button>
        </div>
      </div>
    );
  }
  return (
    <div className="graph-view" data-covered={(isSheet && isFormShown) || (isNarrow && isListOpen) || undefined}>
      <div className="palette-place">
        <details
          className="palette scrolls"
          open={isListOpen}
          onToggle={({ currentTarget: { open } }) => open !== isListOpen && setListOpen(open)}
          onPointerDown={({ currentTarget }) => holdTop(currentTarget)}
        >
          <summary data-shows-itself>
            <span>{t("compose.palette")}</span>
            {isNarrow && isListOpen && <span className="button">{t("compose.palette.done")}</span>}
          </summary>
          <Palette
            kinds={kinds}
            spot={describeSpot()}
            side={side}
            onSide={phase ? setSide : null}
            order={isNarrow ? tellPhases(phases, (one) => readTitle(one, kinds)) : null}
            onAdd={(kind) => add(kind, side)}
            onDrag={setDragged}
          />
          <MoreBelow of="list.phases" />
        </details>
      </div>
      <Flow
        phases={phases}
        kinds={kinds}
        problems={problems}
        chosen={chosen}
        nextSide={isListOpen ? side : null}
        isListOpen={isListOpen}
        dragged={dragged}
        onChoose={choose}
        onShift={shiftPhase}
        onRemove={removePhase}
        onDrag={setDragged}
        onDrop={drop}
        onConnect={(to) => {
          if (dragged && "from" in dragged) write(connect(phases, dragged.from, to), pick(phases, to));
          setDragged(null);
        }}
      />
      <section className="inspector scrolls" aria-labelledby="inspected" data-phase={isFormShown || undefined}>
        <div className="apart">
          <h2 id="inspected" ref={form} tabIndex={-1}>
            {isFormShown ? readTitle(phase, kinds) : t("compose.definition")}
          </h2>
          {isFormShown && (
            <button
              type="button"
              className="quiet"
              onClick={() => (isSheet ? onPanels({ ...panels, isFormClosed: true }) : onChoose(null))}
            >
              {t("compose.definition.show")}
            </button>
          )}
        </div>
        {isFormShown && isNarrow && (
          <div role="group" aria-labelledby="add-at">
            <h3 id="add-at" className="label">
              {t("compose.palette")}
            </h3>
            <div className="next-sides">
              {SIDES.map((one) => (
                <button key={one} type="button" onClick={() => addAt(one)}>
                  {t(`compose.side.${one}` satisfies Key)}
                </button>
              ))}
            </div>
          </div>
        )}
        {isFormShown && chosen !== null ? (
          <PhaseForm
            key={chosen}
            definition={definition}
            index={chosen}
            kinds={kinds}
            problems={problems}
            onChange={(changed, field) =>
              history.edit({ ...definition, phases: phases.with(chosen, changed) }, `${chosen}.${field}`)
            }
            onRename={(id) => history.edit({ ...definition, phases: rename(phases, chosen, id) })}
            onConnect={(from) => write(connect(phases, from, chosen), phase)}
            onDisconnect={(from) => write(disconnect(phases, from, chosen), phase)}
            onAddBefore={(kind) => add(kind, findSpotBefore(phases, chosen), phase)}
            onShift={(by) => shiftPhase(chosen, by)}
            onRemove={() => removePhase(chosen)}
          />
        ) : (
          <DefinitionForm
            definition={definition}
            kinds={kinds}
            problems={problems}
            isStored={isStored}
            onChange={(changed, field) => history.edit(changed, field)}
          />
        )}
        <MoreBelow />
      </section>
      <p className="unseen" role="status">
        {said}
      </p>
    </div>
  );
}

/** Keep the list where it is while one adds from it: the page scrolls to show the new phase, and the next press is due there. */
function holdTop(list: HTMLElement) {
  list.style.setProperty("--held-top", `${list.getBoundingClientRect().top}px`);
}
