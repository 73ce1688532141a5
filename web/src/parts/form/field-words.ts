/** What fields of the gateway's schemas are called: by the catalogue, or, where it lacks one, by the schema. */

import type { Words } from "../../strings";
import { humanize } from "../text/humanize";
import type { FieldSchema } from "./field-schema";

type Say = Words["say"];

export const nameField = (name: string, say: Say, field?: FieldSchema): string =>
  say({ code: `field-${name}` }, say({ code: `name-${name}` }, humanize(field?.title ?? name)));

/** Return a field's description; the schema's own one if the catalogue does not contain the field. */
export function describeField(name: string, say: Say, { description = "" }: FieldSchema): string {
  const otherwise = say({ code: `field-${name}` }, "") ? "" : description.replace(/`([^`]*)`/g, "“$1”");
  return say({ code: `field-${name}-help` }, otherwise);
}

/** Return what a value that phases give and read is called. */
export const nameValue = (name: string, say: Say): string => say({ code: `gives-${name}` }, humanize(name));

/** Return what a value to choose is called. */
export const nameOption = (value: string, say: Say): string =>
  say({ code: `pick-${value}` }, say({ code: `name-${value}` }, value));
