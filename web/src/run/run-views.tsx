/** The views below a run's address: the stored copy of one of its sources, or the run itself. */

import { lazy } from "react";

import { withWords } from "../strings";
import RunFrame from "./run-frame";

const StoredView = lazy(() => withWords(import("../read/stored/stored-view")));

export default function RunViews({ id, path = "" }: { id: string; path: string | undefined }) {
  const [part = "", n] = path.split("/");
  return part === "sources" && n ? <StoredView key={n} runId={id} n={Number(n)} /> : <RunFrame id={id} part={part} />;
}
