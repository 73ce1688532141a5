import { useMemo } from "react";

import type { ReportDocument } from "../api/client";
import { ReportBody } from "../read/report/report-body";
import { useReport } from "../read/report/report-at";
import { listTexts } from "../read/report/document";
import { Loading } from "../parts/notices";
import { useWords } from "../strings";

const NEWEST = 0;

/** Two reports as they are read, side by side; what the other does not say is marked. */
export function ComparedReports({ a, b }: { a: string; b: string }) {
  const { t } = useWords();
  const one = useReport(a, NEWEST);
  const other = useReport(b, NEWEST);
  return (
    <>
      <p className="muted">{t("compare.marked")}</p>
      <div className="sides reports">
        <Side runId={a} {...one} other={other.document} />
        <Side runId={b} {...other} other={one.document} />
      </div>
    </>
  );
}

interface Given {
  runId: string;
  document: ReportDocument | null;
  error: Error | null;
  other: ReportDocument | null;
}

function Side({ runId, document, error, other }: Given) {
  const { t } = useWords();
  const texts = useMemo(() => other && listTexts(other), [other]);
  if (document) return <ReportBody runId={runId} document={document} before={texts} />;
  return error ? <p>{t("read.missing")}</p> : <Loading />;
}
