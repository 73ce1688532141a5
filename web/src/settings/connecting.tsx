import { useQuery } from "@tanstack/react-query";

import { getMetadata } from "../api/client";
import { useWords } from "../strings";

/** How one comes from the stand-in to a model and the web: what to set, and what is started then. */
export function Connecting() {
  const { t } = useWords();
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata });
  if (!metadata.data?.offline) return null;
  return (
    <section className="stack ruled" aria-labelledby="connecting">
      <h2 id="connecting">{t("settings.connect")}</h2>
      <ol>
        <li>
          {t("settings.connect.model")} <code>ANTHROPIC_API_KEY=…</code>
        </li>
        <li>
          {t("settings.connect.search")} <code>BRAVE_API_KEY=…</code>
        </li>
        <li>
          {t("settings.connect.start")} <code>{t("settings.connect.command")}</code>
        </li>
      </ol>
      <p className="muted">{t("settings.connect.then")}</p>
    </section>
  );
}
