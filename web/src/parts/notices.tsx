/** What a view says while it has nothing else to show. */

import { useIsFetching, type Query } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { Link } from "wouter";

import { Problem } from "../api/client";
import { en } from "../strings/en";
import { useAllWords, useWords, type Key } from "../strings";

const APPEARS_MS = 250;

const isUnanswered = ({ state: { fetchFailureReason: reason } }: Query) =>
  reason instanceof Problem && reason.type === "unreachable";

/** Says that something loads, unless it does at once, or that the gateway does not answer and is asked again. */
export function Loading() {
  const { t } = useWords();
  const asksAgain = useIsFetching({ predicate: isUnanswered }) > 0;
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), APPEARS_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="loading muted" role="status">
      {asksAgain ? t("problem.unreachable") : isSlow && `${t("state.loading")} …`}
    </p>
  );
}

/** Return the page's own words for a kind of error, which are among the first ones. */
function findKey({ type }: Problem): Key | null {
  const key = `problem.${type}`;
  return key in en ? (key as Key) : null;
}

/** Puts an error into words: the page's own where it knows the kind, else the field's path and the gateway's notice. */
export function useProblemText(isWithoutField = false): (error: Error) => string {
  const { t, say } = useWords();
  return (error) => {
    if (!(error instanceof Problem)) return t("state.error");
    const key = findKey(error);
    if (key) return t(key);
    const text = say(error.notice, error.message || t("state.error"));
    const [field, another] = error.fields;
    return !isWithoutField && field?.path && !another && field.code === error.notice.code
      ? `${field.path}: ${text}`
      : text;
  };
}

interface ErrorGiven {
  error: Error;
  /** The one field that it can be about is plain to see. */
  isWithoutField?: boolean;
  onRetry?: () => void;
}

export function ErrorNotice({ error, isWithoutField = false, onRetry }: ErrorGiven) {
  useAllWords(!(error instanceof Problem && findKey(error)));
  const { t, say } = useWords();
  const describe = useProblemText(isWithoutField);
  const fields = error instanceof Problem ? error.fields : [];
  return (
    <div className="notice" data-kind="error" role="alert">
      <p>{describe(error)}</p>
      {fields.length > 1 && (
        <ul>
          {fields.map((field, n) => (
            <li key={n}>
              <code>{field.path}</code> {say(field, field.message)}
            </li>
          ))}
        </ul>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {t("state.retry")}
        </button>
      )}
    </div>
  );
}

interface NoticeGiven {
  kind?: "info" | "wait" | "brief";
  onClose?: (() => void) | undefined;
  children: ReactNode;
}

export function Notice({ kind = "info", onClose, children }: NoticeGiven) {
  const { t } = useWords();
  return (
    <div className="notice" data-kind={kind} role="status">
      <div>{children}</div>
      {onClose && (
        <button type="button" className="quiet" aria-label={t("state.close")} onClick={onClose}>
          ✕
        </button>
      )}
    </div>
  );
}

/** Where the list of a kind is, and what it is called. */
const LISTS = {
  run: ["/runs", "nav.runs"],
  collection: ["/collections", "nav.collections"],
  definition: ["/compose", "nav.compose"],
} as const satisfies Record<string, readonly [string, Key]>;

/** What an address names is not there, or is somebody else's. */
export function Missing({ what }: { what?: keyof typeof LISTS }) {
  const { t } = useWords();
  const [list, name] = what ? LISTS[what] : (["/", "state.home"] as const);
  return (
    <div className="empty">
      <h1>{t(what ? `state.missing.${what}` : "state.missing")}</h1>
      <p>
        <Link href={list} className="button">
          {t(name)}
        </Link>
      </p>
    </div>
  );
}

/** A notice that is shown while the network is unavailable. */
export function OfflineNotice() {
  const { t } = useWords();
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    window.addEventListener("online", update);
    window.addEventListener("offline", update);
    return () => {
      window.removeEventListener("online", update);
      window.removeEventListener("offline", update);
    };
  }, []);
  if (isOnline) return null;
  return (
    <div className="banner" role="status">
      {t("app.offline")}
    </div>
  );
}
