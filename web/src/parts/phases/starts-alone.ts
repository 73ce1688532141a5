import type { Definition } from "../../api/client";

/** Whether it begins with a question: what works on a finished report is started from there. */
export const startsAlone = ({ phases }: Definition) =>
  !phases.some(({ kind, config }) => kind === "edit" || (config && "form" in config && config.form === "from_report"));
