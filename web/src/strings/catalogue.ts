/** What a catalogue of words holds: the same keys in every language. */

import type { en } from "./en";
import type { views } from "./en-views";

export type Key = keyof typeof en | keyof typeof views;
export type Catalogue = Record<Key, string>;
