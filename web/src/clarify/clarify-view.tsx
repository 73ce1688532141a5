/** Questions before the work begins: each with why it matters, and nobody has to answer. */

import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";

import { answerQuestions, type Checkpoint, type Question } from "../api/client";
import { useDraft } from "../parts/hooks/draft";
import { useTakenUp } from "../parts/hooks/taken-up";
import { ErrorNotice } from "../parts/notices";
import type { Sent } from "../run-state/outcome";
import { useWords, type Key } from "../strings";
import "./clarify.css";

interface Given {
  runId: string;
  checkpoint: Checkpoint;
  /** This round's answers so far, which may still be changed. */
  said: Record<string, string | null>;
  onSent: (sent: Sent | undefined) => void;
}

type Answers = Record<string, string>;

export default function ClarifyView({ runId, checkpoint, said, onSent }: Given) {
  const { t } = useWords();
  const { checkpoint_id } = checkpoint;
  const questions = [...(checkpoint.answered ?? []), ...(checkpoint.questions ?? [])];
  const [answers, setAnswers, forget] = useDraft<Answers>(`${runId}.${checkpoint_id}`, {});
  const [isAwaited, setAccepted] = useTakenUp(checkpoint);
  const send = useMutation({
    mutationFn: (given: Answers) => {
      const all = questions.map(({ id }) => [id, (given[id] ?? said[id])?.trim() || null] as const);
      return answerQuestions(runId, checkpoint_id, Object.fromEntries(all));
    },
    onMutate: () => onSent({ checkpoint, isChange: false }),
    onSuccess: () => {
      setAccepted();
      forget();
    },
    onError: () => onSent(undefined),
  });

  const isPending = send.isPending || isAwaited;

  function submit(event: SubmitEvent) {
    event.preventDefault();
    send.mutate(answers);
  }

  const read = ({ id }: Question) => answers[id] ?? said[id] ?? "";
  const left = questions.filter((question) => !read(question).trim()).length;
  const isAnswered = left < questions.length;
  const isOpen = questions.every((question) => !question.required);
  const none = Object.fromEntries(questions.map(({ id }) => [id, ""]));
  const sends: Key = isAnswered || !isOpen ? "clarify.submit" : "clarify.skip";
  return (
    <form className="clarify stack" onSubmit={submit}>
      <h2>{t("clarify.title")}</h2>
      <p className="lead">{t("clarify.lead")}</p>
      <ol className="questions stack">
        {questions.map((question) => (
          <QuestionField
            key={question.id}
            question={question}
            answer={read(question)}
            onAnswer={(answer) => setAnswers({ ...answers, [question.id]: answer })}
          />
        ))}
      </ol>
      <div className="bottom-bar">
        {send.error && <ErrorNotice error={send.error} />}
        <div className="actions">
          <button className="primary" disabled={isPending}>
            {t(isPending ? "clarify.sending" : sends)}
          </button>
          {isOpen && isAnswered && (
            <button type="button" className="quiet" disabled={isPending} onClick={() => send.mutate(none)}>
              {t("clarify.skip")}
            </button>
          )}
          {isOpen && left > 0 && <span className="muted">{t("clarify.left", { n: left })}</span>}
        </div>
      </div>
    </form>
  );
}

interface FieldGiven {
  question: Question;
  answer: string;
  onAnswer: (answer: string) => void;
}

function QuestionField({ question, answer, onAnswer }: FieldGiven) {
  const { t, say } = useWords();
  const { id, choices = [], labels = {}, strict, required } = question;
  const asked = question.asks ? say(question.asks, question.question) : question.question;
  const context = question.reason ? say(question.reason, question.context) : question.context;
  const isOwn = answer !== "" && !choices.includes(answer);
  return (
    <li className="card">
      <fieldset>
        <legend>{asked}</legend>
        {context && <p className="why muted">{t("clarify.why", { why: context })}</p>}
        {choices.length > 0 && (
          <div className="picks row">
            {choices.map((choice) => (
              <label key={choice} className="pick radio-card">
                <input
                  type="radio"
                  name={id}
                  required={required ?? false}
                  checked={answer === choice}
                  onChange={() => onAnswer(choice)}
                />
                {labels[choice] ? say(labels[choice], choice) : choice}
              </label>
            ))}
            {!required && (
              <label className="pick radio-card">
                <input type="radio" name={id} checked={answer === ""} onChange={() => onAnswer("")} />
                {t("clarify.decide.one")}
              </label>
            )}
          </div>
        )}
        {!strict && (
          <textarea
            rows={1}
            aria-label={asked}
            required={(required ?? false) && choices.length === 0}
            placeholder={t(choices.length > 0 ? "clarify.own" : "clarify.free")}
            value={isOwn || choices.length === 0 ? answer : ""}
            onChange={(event) => onAnswer(event.target.value)}
          />
        )}
      </fieldset>
    </li>
  );
}
