import type { Choice, ReviewedIdea } from "../../api/client";
import { useWords, type Key } from "../../strings";

interface Given {
  ideas: ReviewedIdea[];
  choices: Choice[];
  busy: boolean;
  onChoose: (choice: Choice) => void;
}

/** Ideas to choose from, each with its own review and its own button. */
export function IdeaCards({ ideas, choices, busy, onChoose }: Given) {
  const [first, second] = ideas.flatMap(({ review }) => review?.score ?? []).sort((a, b) => b - a);
  const best = first === second ? undefined : first; // equal scores have no best idea
  return (
    <ol className="ideas">
      {ideas.map((reviewed) => (
        <IdeaCard
          key={reviewed.idea.title}
          reviewed={reviewed}
          isBest={best !== undefined && reviewed.review?.score === best}
          choice={choices.find(({ label }) => label === reviewed.idea.title)}
          busy={busy}
          onChoose={onChoose}
        />
      ))}
    </ol>
  );
}

interface CardGiven extends Omit<Given, "ideas" | "choices"> {
  reviewed: ReviewedIdea;
  isBest: boolean;
  choice: Choice | undefined;
}

function IdeaCard({ reviewed: { idea, review }, isBest, choice, busy, onChoose }: CardGiven) {
  const { t, number } = useWords();
  return (
    <li className="card">
      <h2>{idea.title}</h2>
      <p>{idea.description}</p>
      {idea.why && <p className="muted">{idea.why}</p>}
      <dl className="review stack ruled">
        <div className="apart">
          <dt>{t("idea.score")}</dt>
          <dd>
            {review ? t("idea.score.of", { score: number(review.score) }) : t("idea.unreviewed")}
            {isBest && <small> {t("idea.best")}</small>}
          </dd>
        </div>
        <Points title="idea.for" points={review?.strengths ?? []} />
        <Points title="idea.against" points={review?.weaknesses ?? []} />
      </dl>
      {choice && (
        <button
          type="button"
          className={isBest ? "primary" : undefined}
          disabled={busy}
          aria-label={t("idea.choose.named", { title: idea.title })}
          onClick={() => onChoose(choice)}
        >
          {t("idea.choose")}
        </button>
      )}
    </li>
  );
}

function Points({ title, points }: { title: Key; points: string[] }) {
  const { t } = useWords();
  if (points.length === 0) return null;
  return (
    <div>
      <dt>{t(title)}</dt>
      <dd>
        <ul>
          {points.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      </dd>
    </div>
  );
}
