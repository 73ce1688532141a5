import { useMutation } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";

import { Problem, signIn } from "../api/client";
import { useProblemText } from "../parts/notices";
import { useWords } from "../strings";
import { hasEntered } from "./belongings";
import "./sign-in.css";

/** Asks for a key, which becomes this browser's session; the page keeps nothing of it. */
export default function SignIn({ onDone }: { onDone: () => void }) {
  const { t, say } = useWords();
  const describe = useProblemText();
  const [key, setKey] = useState("");
  const enter = useMutation({ mutationFn: () => signIn(key.trim()), onSuccess: onDone });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    enter.mutate();
  }
  return (
    <form className="sign-in stack list" onSubmit={submit}>
      <h1>{t("session.title")}</h1>
      {hasEntered() ? (
        <p className="notice" data-kind="wait">
          {t("session.over")}
        </p>
      ) : (
        <p className="lead">{t("session.lead")}</p>
      )}
      <label className="field">
        <span>{t("session.key")}</span>
        <input
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={key}
          placeholder={t("session.key.form")}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      {enter.error && (
        <p className="notice" data-kind="error" role="alert">
          {enter.error instanceof Problem ? say(enter.error.notice, describe(enter.error)) : describe(enter.error)}
        </p>
      )}
      <button className="primary" disabled={enter.isPending}>
        {t("session.enter")}
      </button>
      <p className="muted">
        {t("session.none")} <code>{t("settings.account.command")}</code>
      </p>
    </form>
  );
}
