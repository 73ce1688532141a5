/** What a follow-up's report says otherwise than the one before: new, in other words, gone. */

import type { ReactNode } from "react";

import { Reworded } from "../../parts/text/reworded";
import { useWords, type Key } from "../../strings";
import type { Changes } from "../report/changes";

interface Given {
  changes: Changes;
  isMarked: boolean;
  onMark: (isMarked: boolean) => void;
}

export function Since({ changes: { added, reworded, removed }, isMarked, onMark }: Given) {
  const { t } = useWords();
  if (added.length + reworded.length + removed.length === 0) return <p className="muted">{t("read.since.none")}</p>;
  const counts = { added: added.length, changed: reworded.length, gone: removed.length };
  return (
    <details className="since">
      <summary>{t("read.since", counts)}</summary>
      <div className="stack">
        <p>
          <button type="button" aria-pressed={isMarked} onClick={() => onMark(!isMarked)}>
            {t("read.since.mark")}
          </button>
        </p>
        <Part title="read.since.new" items={added.map((text) => [text, <ins>{text}</ins>])} />
        <Part
          title="read.since.changed"
          items={reworded.map(([before, after]) => [after, <Reworded {...{ before, after }} />])}
        />
        <Part title="read.since.gone" items={removed.map((text) => [text, <del>{text}</del>])} />
      </div>
    </details>
  );
}

function Part({ title, items }: { title: Key; items: [string, ReactNode][] }) {
  const { t } = useWords();
  if (items.length === 0) return null;
  return (
    <section>
      <h3 className="label">{t(title)}</h3>
      <ul>
        {items.map(([key, item], n) => (
          <li key={`${n} ${key}`}>{item}</li>
        ))}
      </ul>
    </section>
  );
}
