/** How a run ended and what its report lacks, above the report: first the end, then each cause once. */

import type { ReportHead, RunState } from "../api/client";
import { Notice } from "../parts/notices";
import { useWords } from "../strings";

interface Given {
  notices: NonNullable<ReportHead["notices"]>;
  /** Their kinds, by which a title has a name in the reader's language. */
  phases?: RunState["phases"];
}

export function EndNotices({ notices, phases = [] }: Given) {
  const { t, called } = useWords();
  const name = (titles: string) =>
    titles
      .split(", ")
      .map((title) => called(phases.find((phase) => phase.title === title) ?? { kind: "", title }))
      .join(", ");
  const [first, ...causes] = notices.map(({ code, params = {} }) => {
    const named = ["phase", "without"].flatMap((hole) => (hole in params ? [[hole, name(String(params[hole]))]] : []));
    return t(`notice.${code}`, { ...params, ...Object.fromEntries(named) });
  });
  if (first === undefined) return null;
  return (
    <Notice kind="wait">
      <p>{first}</p>
      {causes.length > 0 && (
        <ul>
          {causes.map((cause) => (
            <li key={cause}>{cause}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
