import type { Words } from "../../strings";
import { humanize } from "./humanize";

/** Return what an agent is called; one of somebody's own, by its id in words. */
export const nameAgent = (id: string, say: Words["say"]) => say({ code: `name-${id}` }, humanize(id));
