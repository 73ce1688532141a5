/** Saving a definition as its next version, and what happened to it elsewhere in the meantime. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";

import { createDefinition, Problem, replaceDefinition, type Definition } from "../api/client";
import { keepDraft } from "../parts/hooks/draft";
import { isSame, toDraft, type Draft, type Kinds } from "./definition/draft";
import type { History } from "./definition/history";
import { keepShared, nameShared } from "./definition/shared-draft";

const TOO_OLD = 412;

export function useSaving(id: string, user: string, newest: Definition | null, history: History, kinds: Kinds) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const begun = useHistoryState<{ savedAs?: number } | null>();
  const [savedAs, setSavedAs] = useState(begun?.savedAs ?? 0);
  const [takenOver, setTakenOver] = useState(0);
  const isStored = newest !== null;
  const tryOut = (saved: string, version: number) => {
    keepDraft("ask.how", saved);
    navigate("/", { replace: saved !== id, state: { savedAs: version } });
  };
  const save = useMutation({
    mutationFn: ({ sent }: { sent: Draft; then: "stay" | "try" }) =>
      isStored ? replaceDefinition(id, history.version, sent) : createDefinition(sent),
    onSuccess(saved, { sent, then }) {
      const draft = toDraft(saved, kinds);
      queries.setQueryData(["definition", saved.id], saved);
      void queries.invalidateQueries({ queryKey: ["definitions"] });
      void queries.invalidateQueries({ queryKey: ["versions", saved.id] });
      const isStill = isSame(history.definition, sent) && !history.isBroken;
      const written = isStill
        ? { definition: draft, text: null }
        : { definition: history.definition, text: history.text };
      setSavedAs(saved.version);
      setTakenOver(0);
      const isHere = saved.id === id;
      if (isHere) history.rebase(saved.version, draft, written);
      else {
        if (!isStill) keepShared(nameShared(user, saved.id), { ...written, version: saved.version, saved: draft });
        history.forget();
      }
      if (then === "try") tryOut(saved.id, saved.version);
      else if (!isHere)
        navigate(`/compose/${encodeURIComponent(saved.id)}`, { replace: true, state: { savedAs: saved.version } });
    },
    onError(error) {
      const isStale = error instanceof Problem && [TOO_OLD, 404].includes(error.status);
      if (isStale) void queries.invalidateQueries({ queryKey: ["definition", id] });
    },
  });

  const isNewer = newest !== null && history.version > 0 && newest.version > history.version;
  const { isDirty, isTaken, rebase } = history;
  useEffect(() => {
    if (isTaken && !isDirty) void queries.invalidateQueries({ queryKey: ["definition", id] }); // it may have been saved there
  }, [isTaken, isDirty, queries, id]);
  useEffect(() => {
    if (!isNewer || isDirty) return;
    const draft = toDraft(newest, kinds);
    rebase(newest.version, draft, { definition: draft, text: null });
    // oxlint-disable-next-line react/set-state-in-effect -- said once, when the saved version is taken over
    setTakenOver(newest.version);
  }, [isNewer, isDirty, newest, kinds, rebase]);

  const isSent = save.variables !== undefined && !history.isBroken && isSame(save.variables.sent, history.definition);
  const isStale = save.error instanceof Problem && save.error.status === TOO_OLD;
  return {
    save: () => save.isPending || save.mutate({ sent: history.definition, then: "stay" }),
    /** Ask by it; what is not saved yet is saved first, and what is makes no further version. */
    tryOut: () => {
      if (isStored && !history.isDirty) tryOut(id, history.version);
      else if (!save.isPending) save.mutate({ sent: history.definition, then: "try" });
    },
    isPending: save.isPending,
    /** The reason why the current content was not saved; later changes may be saved. */
    error: isStale || !isSent ? null : save.error,
    /** What was saved last, or refused. */
    sent: save.variables?.sent,
    /** The version that was saved last, here. */
    savedAs,
    /** The version from elsewhere that is shown now, since nothing was changed here. */
    takenOver,
    /** The version from elsewhere that what is changed here would have to follow. */
    conflict: isNewer && isDirty ? newest : null,
    isGone: id !== "" && newest === null,
  };
}

export type Saving = ReturnType<typeof useSaving>;
