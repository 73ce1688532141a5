/** What a catalogue of words holds: the same keys in every language. */

import type { en } from "./en";
import type { views } from "./en-views";

/** The words of the first view. */
export type First = Record<keyof typeof en, string>;
/** The words of the other views, which come with them. */
export type Later = Record<keyof typeof views, string>;
export type Catalogue = First & Later;
export type Key = keyof Catalogue;
