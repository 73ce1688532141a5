/** One definition: its graph, its JSON, its versions, and the way to save and try it. */

import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { Link } from "wouter";

import type { Definition } from "../api/client";
import { ONE_COLUMN, useMedia } from "../parts/hooks/media";
import { Notice } from "../parts/notices";
import { useTitle } from "../parts/text/title";
import { useWords, type Key } from "../strings";
import { toDraft, readText, type Draft, type Kinds } from "./definition/draft";
import { useHistory, type Kept } from "./definition/history";
import { useProblems } from "./definition/problems";
import { DeleteButton } from "./delete-button";
import { Foot } from "./foot";
import { GraphView, type Panels } from "./graph-view";
import { JsonView } from "./json-view";
import { useSaving } from "./save";
import { SavingNotices } from "./saving-notices";
import { TitleField } from "./title-field";
import { VersionsView } from "./versions-view";

const VIEWS = ["graph", "json", "versions"] as const;
export type View = (typeof VIEWS)[number];

interface Given {
  /** Empty: it is not saved yet. */
  id: string;
  user: string;
  /** Where what is written is kept. */
  place: string;
  /** Null: it does not exist yet, or was deleted. */
  newest: Definition | null;
  /** What a new one begins with. */
  begin: Draft;
  /** Titles of the phases that a copy begins with and its original lacks. */
  added?: string[];
  kinds: Kinds;
  /** The definitions there are, for a new one to have another id. */
  known?: Definition[];
}

export function Composer({ id, user, place, newest, begin, added = [], kinds, known = [] }: Given) {
  const { t, ago } = useWords();
  const [view, setView] = useState<View>("graph");
  const [panels, setPanels] = useState<Panels>({ isFormClosed: false });
  const isNarrow = useMedia(ONE_COLUMN);
  const [isKnown, setKnown] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null);
  const initial = useMemo((): Kept => {
    const definition = newest ? toDraft(newest, kinds) : begin;
    return { definition, text: null, version: newest?.version ?? 0, saved: definition };
  }, [newest, begin, kinds]);
  const history = useHistory(place, initial);
  const problems = useProblems(history.definition, history.isBroken, kinds);
  const saving = useSaving(id, user, newest, history, kinds);
  const { definition } = history;
  const named = useNamed(readText(definition["title"]));
  const title = readText(definition["title"]) || readText(definition["id"]) || t("compose.untitled");
  useTitle(title);
  const index = chosen !== null && chosen < definition.phases.length ? chosen : null;
  useUndoKeys(history.undo, history.redo);
  const takeOver = (taken: Draft, version?: number) => {
    history.edit(taken, "", version === undefined ? {} : { version, saved: taken });
    setChosen(null);
    setView("graph");
  };
  return (
    <div className="composer stack">
      <div className="composer-head">
        <div>
          <div className="row">
            <Link href="/compose">{t("nav.compose")}</Link>
            {newest && (
              <>
                <span>{t("compose.version", { n: history.version })}</span>
                <Link href={`/compose?from=${encodeURIComponent(id)}`}>{t("compose.copy")}</Link>
                <DeleteButton definition={newest} history={history} />
              </>
            )}
            {history.isDirty && history.since && <span>{t("compose.draft.since", { ago: ago(history.since) })}</span>}
            {history.isDirty && (
              <button type="button" className="link" onClick={() => history.edit(history.saved)}>
                {t("approve.modify.drop")}
              </button>
            )}
          </div>
          <h1 className="unseen">{title}</h1>
          <TitleField
            definition={definition}
            taken={newest ? null : known.map((one) => one.id)}
            {...named.field}
            onChange={history.edit}
          />
        </div>
        <nav className="composer-views" aria-label={t("compose.views")}>
          {VIEWS.filter((one) => one !== "versions" || newest).map((one) => (
            <button key={one} type="button" className="quiet" aria-pressed={view === one} onClick={() => setView(one)}>
              {t(`compose.view.${one}` satisfies Key)}
            </button>
          ))}
        </nav>
      </div>
      {added.length > 0 && !isKnown && (
        <Notice onClose={() => setKnown(true)}>{t("compose.added", { phases: added.join(", ") })}</Notice>
      )}
      {view === "graph" && (
        <GraphView
          history={history}
          kinds={kinds}
          problems={problems}
          isStored={newest !== null}
          chosen={index}
          onChoose={setChosen}
          panels={panels}
          onPanels={setPanels}
          onMend={() => setView("json")}
        />
      )}
      {view === "json" && <JsonView history={history} problems={problems} />}
      {view === "versions" && newest && (
        <VersionsView
          id={id}
          version={history.version}
          definition={definition}
          isDirty={history.isDirty}
          kinds={kinds}
          onTakeOver={(taken) => takeOver(taken)}
        />
      )}
      <div className="composer-foot bottom-bar">
        <SavingNotices
          saving={saving}
          history={history}
          kinds={kinds}
          onCompare={() => setView("versions")}
          onTakeOver={(found) => takeOver(toDraft(found, kinds), found.version)}
          onKeep={(found) => history.rebase(found.version, toDraft(found, kinds))}
        />
        <Foot
          newest={newest}
          history={history}
          problems={problems}
          saving={saving}
          kinds={kinds}
          onSave={() => named.require(saving.save)}
          onTry={() => (newest && !history.isDirty ? saving.tryOut() : named.require(saving.tryOut))}
          onShow={(phase) => {
            setChosen(phase);
            setPanels({ isListOpen: !isNarrow, isFormClosed: false });
            setView("graph");
          }}
        />
      </div>
    </div>
  );
}

/** A definition is listed by its name: without one the field for it is asked for instead of saving. */
function useNamed(title: string) {
  const field = useRef<HTMLInputElement>(null);
  const [isAsked, setAsked] = useState(false);
  const isMissing = !title.trim();
  return {
    field: { field, isMissing: isAsked && isMissing },
    require: (save: () => unknown) => {
      setAsked(isMissing);
      if (!isMissing) save();
      else field.current?.focus();
    },
  };
}

/** Ctrl or Command with Z undoes; a field that is being typed in has its own undoing. */
function useUndoKeys(undo: (() => void) | null, redo: (() => void) | null) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (isTyping || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const does = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : null;
    if (!does) return;
    event.preventDefault();
    does();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
