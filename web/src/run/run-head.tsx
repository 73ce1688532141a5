import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type ReactNode, type SubmitEvent } from "react";
import { Link } from "wouter";

import { cancelRun, setPaused, steer, type Definition, type RunState } from "../api/client";
import { Clamped } from "../parts/text/clamped";
import { Dialog, type DialogHandle } from "../parts/dialog/dialog";
import { useDraft } from "../parts/hooks/draft";
import { PHONE, useMedia } from "../parts/hooks/media";
import { EndWord } from "../parts/lamp";
import { isSameText } from "../parts/text/same-words";
import { Notice, useProblemText } from "../parts/notices";
import { useWords, type Key } from "../strings";
import { EndedActions } from "./ended-actions";
import { Download } from "../read/hand-on/download";
import { hasGiven, isWhole, useOutputs } from "../read/outputs";
import { Share } from "../read/hand-on/share";
import { useEarlier } from "../read/afterwards/earlier";
import { findOperatorPause, hasFoundNothing, hasRunEnded } from "../run-state/outcome";
import type { RunLog } from "../run-state/run-log";
import { tellSpent } from "../run-state/spent";

const CONNECTIONS: Partial<Record<RunLog["connection"], Key>> = { lost: "run.lost", resting: "run.resting" };

interface Given {
  state: RunState;
  log: RunLog;
  look: () => void;
  /** It was cancelled here; or was not, as it is refused. */
  onCancel: (isSent: boolean) => void;
  /** Its report is read, or watched as it grows: one line, and what one does with it. */
  isSlim: boolean;
  about: ReactNode;
  /** That it waits stands in the bar at the foot, beside the way there. */
  isToldBelow: boolean;
}

/** A run's question, status, price and actions. */
export function RunHead({ state, log, look, onCancel, isSlim, about, isToldBelow }: Given) {
  const words = useWords();
  const { t } = words;
  const say = useProblemText();
  const steering = useRef<DialogHandle>(null);
  const cancelling = useRef<DialogHandle>(null);
  const [isTold, setTold] = useState(false);
  const hasEnded = hasRunEnded(state);
  const outputs = useOutputs(state);
  const isReadable = isWhole(state, log) || hasGiven(state, outputs.data);
  const earlier = useEarlier(state);
  const isPaused = state.status === "paused";
  const isHeld = findOperatorPause(state) !== undefined;
  const foundNothing = hasFoundNothing(state);
  const isPhone = useMedia(PHONE);
  const isWatched = isSlim && !hasEnded;
  const isToldElsewhere = isPaused || isWatched || (isToldBelow && state.status === "waiting"); // in a notice, a line or a bar
  const isUnremarkable = isPhone && isSlim && state.status === "completed" && !foundNothing; // its report says so
  const title = state.results.report?.title ?? (hasEnded ? "" : (state.plan?.title ?? ""));
  const isRepeated = isSlim && (hasEnded || isPhone) && isSameText(title, state.query);
  const pause = useMutation({ mutationFn: (on: boolean) => setPaused(state.run_id, on), onSettled: look });
  const cancel = useMutation({
    mutationFn: (mode: "now" | "after_phase") => cancelRun(state.run_id, mode),
    onMutate: () => onCancel(true),
    onError: () => onCancel(false),
    onSettled: look,
  });
  const failure = pause.error ?? cancel.error;
  const connection = hasEnded ? undefined : CONNECTIONS[log.connection];
  return (
    <header className={isSlim ? "run-head slim" : "run-head"} data-status={state.status}>
      {earlier && (
        <p className="thread">
          {t("run.follows")}{" "}
          <Link className="clamped" href={`/runs/${earlier.run_id}`}>
            {earlier.query}
          </Link>
        </p>
      )}
      {isRepeated ? (
        <h1 className="unseen" tabIndex={-1}>
          {state.query}
        </h1>
      ) : (
        <Clamped as="h1" className="query" tabIndex={-1} text={state.query} />
      )}
      <div className="facts row">
        {!isToldElsewhere && !isUnremarkable && <EndWord status={state.status} foundNothing={foundNothing} />}
        {!isSlim && about}
        {!isWatched && !isUnremarkable && <span>{tellSpent(state, words)}</span>}
        {state.parent && !earlier && <Link href={`/runs/${state.parent}`}>{t("run.parent")}</Link>}
        {connection && (
          <span role="status" className="connection">
            {t(connection)}
          </span>
        )}
        {!state.live && !hasEnded && !isHeld && <span role="status">{t("run.asleep")}</span>}
      </div>
      {!hasEnded && (
        <div className="controls row">
          {!isHeld && (
            <button
              type="button"
              className="quiet"
              aria-disabled={pause.isPending}
              onClick={() => pause.isPending || pause.mutate(!isPaused)}
            >
              {t(isPaused ? "run.resume" : "run.pause")}
            </button>
          )}
          <button type="button" className="quiet" onClick={() => steering.current?.open()}>
            {t("run.steer")}
          </button>
          <button type="button" className="quiet danger" onClick={() => cancelling.current?.open()}>
            {t("run.cancel")}
          </button>
        </div>
      )}
      {hasEnded && (
        <EndedActions state={state} reading={isSlim && <Reading id={state.run_id} isReadable={isReadable} />} />
      )}
      {failure && (
        <p role="alert" className="danger">
          {say(failure)}
        </p>
      )}
      {isTold && !hasEnded && <Notice onClose={() => setTold(false)}>{t("run.steer.told")}</Notice>}
      <SteerDialog state={state} handle={steering} onTold={() => setTold(true)} />
      <Dialog title={t("run.cancel.title")} handle={cancelling}>
        <p>{t("run.cancel.text")}</p>
        <div className="actions">
          <button type="button" className="danger" onClick={() => (cancel.mutate("now"), cancelling.current?.close())}>
            {t("run.cancel.now")}
          </button>
          <button type="button" onClick={() => (cancel.mutate("after_phase"), cancelling.current?.close())}>
            {t("run.cancel.after")}
          </button>
        </div>
      </Dialog>
    </header>
  );
}

interface AboutGiven {
  state: RunState;
  /** Undefined: it was deleted since, or cannot be read. */
  definition: Definition | undefined;
}

/** The kind of research, and when it began. */
export function About({ state, definition }: AboutGiven) {
  const { t, ago, date, named } = useWords();
  return (
    <div className="about row">
      <span>{definition ? named(definition) : state.definition_id}</span>
      <time dateTime={state.started_at} title={date(state.started_at)}>
        {t("run.started", { ago: ago(state.started_at) })}
      </time>
    </div>
  );
}

/** Links to a report's details, and actions on the report. */
function Reading({ id, isReadable }: { id: string; isReadable: boolean | undefined }) {
  const { t } = useWords();
  return (
    <>
      <Link className="button quiet" href={`/runs/${id}/work`}>
        {t("run.details")}
      </Link>
      {isReadable && <Share runId={id} />}
      {isReadable && <Download runId={id} hasArchive />}
    </>
  );
}

interface SteerGiven {
  state: RunState;
  handle: React.RefObject<DialogHandle | null>;
  onTold: () => void;
}

function SteerDialog({ state, handle, onTold }: SteerGiven) {
  const { t } = useWords();
  const say = useProblemText();
  const [text, setText] = useDraft(`${state.run_id}.steer`, "");
  const send = useMutation({
    mutationFn: () => steer(state.run_id, text.trim()),
    onSuccess: () => {
      setText("");
      onTold();
      handle.current?.close();
    },
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    send.mutate();
  }
  return (
    <Dialog title={t("run.steer.title")} handle={handle}>
      <form onSubmit={submit}>
        <label className="field">
          <span>{t("run.steer.label")}</span>
          <textarea rows={3} required value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        {send.error && (
          <p role="alert" className="danger">
            {say(send.error)}
          </p>
        )}
        <div className="actions">
          <button className="primary" disabled={send.isPending}>
            {t("run.steer.send")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
