/** Whose answers a run has: a model's, those recorded of one, or a stand-in's. */

import type { Words } from "../strings";

interface Answered {
  model: string;
  offline: boolean;
  recorded?: { model: string; date: string } | null;
}

export function nameModel({ model, offline, recorded }: Answered, { t, say }: Words): string {
  if (recorded) return say({ code: "recorded", params: { model: recorded.model, date: recorded.date } });
  return offline ? t("model.offline") : model;
}
