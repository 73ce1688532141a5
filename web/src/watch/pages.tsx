import { memo } from "react";

import { isOnWeb } from "../api/client";
import type { ReadPage } from "../run-state/run-log";
import { useWords } from "../strings";
import { Facts } from "../parts/text/facts";

/** The pages that were read, in the order of reading. */
export const Pages = memo(function Pages({ pages }: { pages: ReadPage[] }) {
  const { t, clock } = useWords();
  return (
    <section aria-labelledby="pages">
      <h2 id="pages">
        {t("work.pages")} <span className="muted">{pages.length}</span>
      </h2>
      {pages.length === 0 && <p className="muted">{t("work.pages.empty")}</p>}
      <ul className="pages stack" aria-live="polite">
        {pages.map((page) => (
          <li key={page.url}>
            <a href={isOnWeb(page.url) ? page.url : undefined} target="_blank" rel="noreferrer">
              {page.title}
            </a>
            <small>
              <Facts of={[page.publisher, page.published, clock(page.at)]} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
});
