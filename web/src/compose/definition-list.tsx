import { Link } from "wouter";

import type { Definition } from "../api/client";
import { useTitle } from "../parts/title";
import { useWords } from "../strings";
import { readTitle, type Kinds } from "./definition/draft";

interface Given {
  definitions: Definition[];
  kinds: Kinds;
}

/** What can be composed further: one's own definitions, and those to begin with. */
export function DefinitionList({ definitions, kinds }: Given) {
  const { t } = useWords();
  useTitle(t("nav.compose"));
  const own = definitions.filter((one) => !one.is_preset);
  return (
    <div className="definitions">
      <h1>{t("nav.compose")}</h1>
      <p className="lead">{t("compose.lead")}</p>
      <p>
        <Link href="/compose?from=" className="button primary">
          {t("compose.new")}
        </Link>
      </p>
      {own.length > 0 && (
        <section aria-labelledby="own">
          <h2 id="own">{t("compose.own")}</h2>
          <Rows definitions={own} kinds={kinds} path={(id) => `/compose/${id}`} />
        </section>
      )}
      <section aria-labelledby="presets">
        <h2 id="presets">{t("compose.presets")}</h2>
        <p className="hint">{t("compose.presets.hint")}</p>
        <Rows
          definitions={definitions.filter((one) => one.is_preset)}
          kinds={kinds}
          path={(id) => `/compose?from=${id}`}
        />
      </section>
    </div>
  );
}

function Rows({ definitions, kinds, path }: Given & { path(id: string): string }) {
  return (
    <ul className="definition-rows">
      {definitions.map(({ id, title, description, phases }) => (
        <li key={id}>
          <Link href={path(id)}>
            <b>{title || id}</b>
            {description && <span>{description}</span>}
            <small>
              {phases
                .slice(0, SHOWN)
                .map((phase) => readTitle(phase, kinds))
                .join(" → ")}
              {phases.length > SHOWN && " …"}
            </small>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const SHOWN = 12;
