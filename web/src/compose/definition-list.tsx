import { Link } from "wouter";

import type { Definition } from "../api/client";
import { useTitle } from "../parts/text/title";
import { useWords } from "../strings";
import { startsAlone } from "../parts/phases/starts-alone";
import { readText, readTitle, type Kinds } from "./definition/draft";
import { tellPhases } from "./definition/order";
import { hasShared, nameShared } from "./definition/shared-draft";

interface Given {
  definitions: Definition[];
  user: string;
  kinds: Kinds;
}

/** What can be composed further: one's own definitions, and those to begin with. */
export function DefinitionList({ definitions, user, kinds }: Given) {
  const { t } = useWords();
  useTitle(t("nav.compose"));
  const own = definitions.filter((one) => !one.is_preset);
  return (
    <div className="list stack">
      <h1>{t("nav.compose")}</h1>
      <p className="lead">{t("compose.lead")}</p>
      <p>
        <Link href="/compose?from=" className="button primary">
          {t("compose.new")}
        </Link>{" "}
        <Unsaved place={nameShared(user, "")} />
      </p>
      {own.length > 0 && (
        <section aria-labelledby="own">
          <h2 id="own">{t("compose.own")}</h2>
          <Rows definitions={own} kinds={kinds} path={(id) => `/compose/${id}`} place={(id) => nameShared(user, id)} />
        </section>
      )}
      <section aria-labelledby="presets">
        <h2 id="presets">{t("compose.presets")}</h2>
        <p className="muted">{t("compose.presets.hint")}</p>
        <Rows
          definitions={definitions.filter((one) => one.is_preset).sort(putAloneFirst)}
          kinds={kinds}
          path={(id) => `/compose?from=${id}`}
          place={(id) => nameShared(user, "", id)}
        />
      </section>
    </div>
  );
}

/** What works on a finished report is seldom what one begins with. */
const putAloneFirst = (a: Definition, b: Definition) => Number(startsAlone(b)) - Number(startsAlone(a));

interface RowsGiven extends Omit<Given, "user"> {
  path: (id: string) => string;
  /** Where changes that are not saved are kept. */
  place: (id: string) => string;
}

function Rows({ definitions, kinds, path, place }: RowsGiven) {
  const { say, named, described } = useWords();
  return (
    <ul className="definition-rows">
      {definitions.map((one) => (
        <li key={one.id}>
          <Link href={path(one.id)}>
            <b>
              {named(one)} <Unsaved place={place(one.id)} />
            </b>
            {one.description && <span className="muted">{described(one, "description")}</span>}
            <small className="clamped">
              {tellPhases(one.phases, (phase) =>
                readText(phase["title_code"]) ? say({ code: readText(phase["title_code"]) }) : readTitle(phase, kinds),
              )}
            </small>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Unsaved({ place }: { place: string }) {
  const { t } = useWords();
  return hasShared(place) && <small className="unsaved">{t("compose.draft")}</small>;
}
