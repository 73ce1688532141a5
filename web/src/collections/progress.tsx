/** How far a collection is read: in words, and as a bar while it is under way. */

import type { Collection } from "../api/client";
import { useWords, type Words } from "../strings";

/** Whether documents of a collection are still to be read, for the first time or again. */
export const isUnread = (one: Collection) => one.waiting + one.reading + one.outdated > 0;

/** What a collection is called; of a folder's mirror, the folder. */
export const titleOf = ({ name, is_folder }: Collection, t: Words["t"]) =>
  is_folder ? t("collections.mirror", { name }) : name;

export function Progress({ collection: one }: { collection: Collection }) {
  const { t } = useWords();
  const done = one.indexed + one.failed;
  const isRead = done === one.documents;
  return (
    <span className="progress row">
      {!isRead && (
        <progress max={one.documents} value={done} aria-label={t("collections.read", { done, n: one.documents })} />
      )}
      <span className="figure">
        {isRead ? t("collections.documents", { n: one.documents }) : t("collections.read", { done, n: one.documents })}
      </span>
      {one.outdated > 0 && <span>{t("collections.outdated", { n: one.outdated })}</span>}
      {one.failed > 0 && <span className="danger">{t("collections.failed", { n: one.failed })}</span>}
    </span>
  );
}
