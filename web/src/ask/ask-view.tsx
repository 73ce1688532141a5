/** Asking: one box, what it will do, and what it will cost before anything is called. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState, type SubmitEvent, type KeyboardEvent } from "react";
import { Link, useLocation } from "wouter";

import {
  getDefinition,
  getMetadata,
  KEYED,
  listDefinitions,
  listRuns,
  startRun,
  type Definition,
  type Json,
  type Sample,
} from "../api/client";
import { useDraft } from "../parts/hooks/draft";
import { Lamp, type Status } from "../parts/lamp";
import { ErrorNotice, Loading } from "../parts/notices";
import { useWebPermission } from "../parts/hooks/web-permission";
import { EACH_STEP } from "../parts/phases/waits-after-steps";
import { putCaretAtEnd } from "../parts/text/caret";
import { useTitle } from "../parts/text/title";
import { useWords, type Key } from "../strings";
import "./ask.css";
import { DefinitionChoice } from "./definition-choice";
import { EXAMPLES, isKind, Kinds } from "./kinds";
import { NeededFields } from "./needed-fields";
import { Options } from "./options";
import { OwnCollections } from "./documents/own-collections";
import { OwnFiles } from "./documents/own-files";
import { Consent, CourseFold, DepthChoice, PriceLine } from "./price-line";
import { usePricing } from "./pricing";
import { isTooLong, Later, QuestionLength } from "./question-length";
import { EMPTY, toStart, type Choices } from "./start-choices";

/** `onAsk`: a run is about to be started. */
export function AskView({ onAsk }: { onAsk: () => void }) {
  const { t } = useWords();
  useTitle(t("nav.ask"));
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions });
  const standard = useQuery({ queryKey: ["definition", "default"], queryFn: () => getDefinition("default") });
  const metadata = useMetadata();
  return (
    <div className="ask list">
      <h1>{t("ask.title")}</h1>
      {!definitions.data && <p className="lead">{t("ask.lead")}</p>}
      {definitions.error && <ErrorNotice error={definitions.error} onRetry={() => void definitions.refetch()} />}
      {definitions.data && standard.data && !metadata.isPending ? (
        <AskForm definitions={definitions.data} standard={standard.data.id} onAsk={onAsk} />
      ) : (
        !definitions.error && <Loading />
      )}
    </div>
  );
}

/** What was chosen before the way that stops after each step. */
interface Before {
  id: string;
  inputs: Choices["inputs"];
}

const useMetadata = () => useQuery({ queryKey: ["metadata"], queryFn: getMetadata });

interface FormGiven {
  definitions: Definition[];
  standard: string;
  onAsk: () => void;
}

function AskForm({ definitions, standard, onAsk }: FormGiven) {
  const { t, named } = useWords();
  const [, navigate] = useLocation();
  const [query, setQuery] = useDraft("ask", "");
  const [chosen, setChosen] = useDraft("ask.how", standard);
  const definitionId = definitions.find(({ id }) => id === chosen)?.id ?? standard; // it may be deleted meanwhile
  const [choices, setChoices] = useDraft<Choices>("ask.choices", EMPTY);
  const [before, setBefore] = useDraft<Before | null>("ask.before", null);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => putCaretAtEnd(box.current), []); // behind what was typed before a reload
  const recent = useRecent();
  const definition = definitions.find((one) => one.id === definitionId);
  const samples = useMetadata().data?.samples ?? [];
  const sample = samples.find((one) => one.query === query.trim() && one.definition === definitionId);
  const pricing = usePricing(definition, choices);
  const key = useStartKey(`${definitionId} ${query} ${JSON.stringify(choices)}`);
  const start = useMutation({
    ...KEYED,
    onMutate: onAsk,
    mutationFn: () => startRun(definitionId, toStart(query, choices, definition), key),
    onSuccess: (run) => {
      setQuery("");
      setChosen(standard);
      setChoices(EMPTY);
      setBefore(null);
      navigate(`/runs/${run.run_id}`);
    },
  });

  /** Each kind has fields of its own. */
  function choose(id: string, inputs: Choices["inputs"] = {}, before: Before | null = null) {
    setChosen(id);
    setChoices({ ...choices, inputs });
    setBefore(before);
  }

  const nameWay = (way: Definition) => (isKind(way.id) ? t(`ask.kind.${way.id}`) : named(way));
  const stopping = definitions.find(({ id }) => id === EACH_STEP);
  const toStops = stopping && {
    label: t("ask.stops.other", { way: nameWay(stopping) }),
    onPress: () => choose(EACH_STEP, {}, { id: definitionId, inputs: choices.inputs }),
  };
  const former = definitionId === EACH_STEP && before ? definitions.find(({ id }) => id === before.id) : undefined;
  const back = former && {
    label: t("ask.stops.back", { way: nameWay(former) }),
    onPress: () => choose(former.id, before?.inputs),
  };

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (query.trim() && !isTooLong(query) && !start.isPending) start.mutate();
  }

  /** Enter asks, as everywhere one types a question; Shift and Enter begin a line. */
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      event.currentTarget.form?.requestSubmit();
    }
  }

  return (
    <form className="stack" onSubmit={submit}>
      <Lead definition={definition} />
      <Kinds definitions={definitions} chosen={definitionId} onChoose={choose} />
      {definition && !isKind(definitionId) && (
        <p>
          {t("ask.how")}: <b>{named(definition)}</b>
        </p>
      )}
      <div className="box">
        <label className="unseen" htmlFor="question">
          {t("ask.question")}
        </label>
        <textarea
          id="question"
          ref={box}
          rows={3}
          aria-invalid={isTooLong(query)}
          required
          autoFocus
          value={query}
          placeholder={t("ask.placeholder")}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <QuestionLength query={query} />
        <NeededFields definition={definition} choices={choices} onChange={setChoices} />
        <OwnFiles files={choices.files} onChange={(files) => setChoices({ ...choices, files })} />
        <OwnCollections
          chosen={choices.collections ?? []}
          onChange={(collections) => setChoices({ ...choices, collections })}
        />
        <div className="box-foot">
          <DepthChoice depths={pricing.depths} choices={choices} onChange={setChoices} />
          <Consent definition={definition} />
          <PriceLine pricing={pricing} depth={choices.depth} sample={sample} />
          <button className="primary" disabled={start.isPending || isTooLong(query)}>
            {t(start.isPending ? "ask.submitting" : "ask.submit")}
          </button>
          <CourseFold {...{ definition, pricing, sample, toStops, back }} />
        </div>
      </div>
      {start.failureReason && <ErrorNotice error={start.failureReason} />}
      {!query && (
        <>
          <Examples
            samples={samples.filter((one) => one.definition === definitionId)}
            kind={definitionId}
            onChoose={(example, inputs) => {
              setQuery(example);
              setChoices({ ...choices, inputs });
              box.current?.focus();
            }}
          />
          <Recent />
        </>
      )}
      {!recent.isPending && (
        <>
          <DefinitionChoice
            definitions={definitions}
            chosen={definitionId}
            onChoose={choose}
            onWrite={() => {
              box.current?.focus({ preventScroll: true });
              box.current?.scrollIntoView({ block: "center" });
            }}
          />
          <Options definition={definition} choices={choices} onChange={setChoices} />
        </>
      )}
    </form>
  );
}

/** What a run goes through before it searches, by the way to research that is chosen. */
function Lead({ definition }: { definition: Definition | undefined }) {
  const { t } = useWords();
  const permission = useWebPermission(definition?.id);
  const asks = definition?.phases.some(({ kind, enabled }) => kind === "clarification" && enabled) ?? true;
  const says: Key =
    permission === "consent" || permission === "none" ? `ask.lead.${permission}` : asks ? "ask.lead" : "ask.lead.plan";
  return (
    <p className="lead">
      {says === "ask.lead" ? (
        t(says)
      ) : (
        <Suspense>
          <Later says={says} />
        </Suspense>
      )}
    </p>
  );
}

interface ExamplesGiven {
  /** Recorded runs of the kind. */
  samples: Sample[];
  kind: string;
  onChoose: (query: string, inputs: Json) => void;
}

/** Questions of a kind to begin with: in the reader's language, recorded ones where there are any; then those of others. */
function Examples({ samples, kind, onChoose }: ExamplesGiven) {
  const { t, say, language } = useWords();
  const isOwn = (sample: Sample) => sample.language === language;
  const recorded = [...samples.filter(isOwn), ...samples.filter((sample) => !isOwn(sample))];
  const [first] = recorded;
  const usual = isKind(kind) && !samples.some(isOwn) ? EXAMPLES[kind] : [];
  if (!first && usual.length === 0) return null;
  return (
    <div className="examples">
      <p className="label">{t("ask.examples")}</p>
      <ul className="plain">
        {usual.map(({ query, inputs }) => (
          <li key={query}>
            <button type="button" onClick={() => onChoose(t(query), inputs ?? {})}>
              {t(query)}
            </button>
          </li>
        ))}
      </ul>
      <ul className="plain">
        {recorded.map(({ query, inputs, language: own }) => (
          <li key={query} lang={own}>
            <button type="button" onClick={() => onChoose(query, inputs ?? {})}>
              {query}
            </button>
          </li>
        ))}
      </ul>
      {first && <small>{say({ code: "recorded", params: { model: first.model, date: first.date } })}</small>}
    </div>
  );
}

const useRecent = () => useQuery({ queryKey: ["runs", "recent"], queryFn: () => listRuns({ limit: 3 }) });

/** The way back to what was asked before: what runs first, then what ended last. */
function Recent() {
  const { t } = useWords();
  const runs = useRecent();
  if (!runs.data?.items.length) return null;
  return (
    <nav className="examples" aria-label={t("ask.recent")}>
      <p className="label">{t("ask.recent")}</p>
      <ul className="plain">
        {runs.data.items.map((run) => (
          <li key={run.run_id}>
            <Link href={`/runs/${run.run_id}`}>
              <Lamp status={run.found_nothing ? "partial" : (run.status as Status)} />
              <span className="clamped">{run.query}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Return a key that stays the same for as long as what would be started does. */
function useStartKey(content: string): string {
  const [made, setMade] = useState(() => ({ content, key: crypto.randomUUID() }));
  if (made.content === content) return made.key;
  const next = { content, key: crypto.randomUUID() };
  setMade(next);
  return next.key;
}
