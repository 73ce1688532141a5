/** How a run ended and what its report lacks, above the report: first the end, then each cause once. */

import type { ReactNode } from "react";

import type { ReportHead } from "../api/client";
import { Notice } from "../parts/notices";
import { useWords } from "../strings";

interface Given {
  notices: NonNullable<ReportHead["notices"]>;
  /** What one can do about it. */
  children?: ReactNode;
}

export function EndNotices({ notices, children }: Given) {
  const { say } = useWords();
  const [first, ...causes] = notices.map((notice) => say(notice));
  if (first === undefined) return null;
  return (
    <Notice kind={notices.some(({ severity }) => severity !== "info") ? "wait" : "info"}>
      <p>{first}</p>
      {causes.length > 0 && (
        <ul>
          {causes.map((cause) => (
            <li key={cause}>{cause}</li>
          ))}
        </ul>
      )}
      {children}
    </Notice>
  );
}
