import type { Checkpoint } from "../../api/client";
import { Reworded } from "../../parts/text/reworded";
import { useWords } from "../../strings";

type Given = NonNullable<Checkpoint["sent_back"]>;
type Change = NonNullable<Given["changes"]>[number];

/** Why what is decided on was done again, and what that changed; the changes of a plan are listed by its fields. */
export function SentBack({ words, changes = null, left_out: leftOut = 0 }: Given) {
  const { t } = useWords();
  const more = (changes ?? []).slice(SHOWN);
  return (
    <section className="sent-back stack" aria-labelledby="sent-back">
      <h3 id="sent-back" className="label">
        {t("approve.sent")}
      </h3>
      <ol className="plain">
        {words.map((text, n) => (
          <li key={n}>
            <blockquote>{text}</blockquote>
          </li>
        ))}
      </ol>
      {changes?.length === 0 && <p className="same">{t("approve.sent.same")}</p>}
      {changes && changes.length > 0 && (
        <>
          <h3 className="label">{t("approve.sent.changes")}</h3>
          <Changes changes={changes.slice(0, SHOWN)} />
        </>
      )}
      {more.length > 0 && (
        <details>
          <summary>{t("approve.sent.more", { n: more.length })}</summary>
          <Changes changes={more} />
        </details>
      )}
      {leftOut > 0 && <p className="muted">{t("approve.sent.left", { n: leftOut })}</p>}
    </section>
  );
}

/** What is in sight of the changes, so that the result itself is not far below. */
const SHOWN = 4;

function Changes({ changes }: { changes: Change[] }) {
  return (
    <ul className="sent-changes">
      {changes.map(({ before = "", after = "" }, n) => (
        <li key={n}>
          <Reworded before={before} after={after} />
        </li>
      ))}
    </ul>
  );
}
