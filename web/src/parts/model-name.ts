/** The source of a run's answers: a model, recordings of one, or a stand-in. */

import type { Words } from "../strings";

interface Answered {
  model: string;
  offline: boolean;
  recorded?: { model: string; date: string } | null;
}

export function nameModel({ model, offline, recorded }: Answered, { t, say }: Words): string {
  if (recorded) return say({ code: "recorded", params: { model: recorded.model, date: recorded.date } });
  return offline ? t("model.offline") : nameFamily(model);
}

/** A model's id without the day of its release. */
export const nameFamily = (model: string) => model.replace(/-\d{8}$/, "");
