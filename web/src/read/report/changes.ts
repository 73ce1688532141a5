/** What a report says otherwise than the one that it goes on from, sentence by sentence. */

import type { ReportDocument } from "../../api/client";
import { listBlockTexts, listTexts, splitSections } from "./document";

export interface Changes {
  added: string[];
  removed: string[];
  /** Reworded sentences: the old and the new text. */
  reworded: [string, string][];
}

/** Minimum share of unchanged words for a sentence to count as reworded. */
const ALIKE = 0.5;

/**
 * Compare the text of two reports; what a table says is compared by row, and appendix and sources are left out.
 * A sentence that went and one that came are one in other words if they follow the same sentence and share half their words.
 */
export function compareReports(before: ReportDocument, after: ReportDocument): Changes {
  const [then, now] = [listPlaced(before), listPlaced(after)];
  const [hadBefore, hasNow] = [then, now].map((placed) => new Set(placed.map(({ text }) => text))) as [
    Set<string>,
    Set<string>,
  ];
  const gone = groupByPlace(then, hasNow);
  const came = groupByPlace(now, hadBefore);
  const changes: Changes = { added: [], removed: [], reworded: [] };
  for (const [place, texts] of came) {
    const earlier = gone.get(place) ?? [];
    texts.forEach((text, n) => {
      const former = earlier[n];
      if (former === undefined || !isAlike(former, text)) return changes.added.push(text);
      return changes.reworded.push([former, text]);
    });
  }
  const former = new Set(changes.reworded.map(([text]) => text));
  changes.removed = [...gone.values()].flat().filter((text) => !former.has(text));
  return changes;
}

/** Return all texts of a report but those that are new in it. */
export function leaveOut(document: ReportDocument, { added, reworded }: Changes): Set<string> {
  const texts = listTexts(document);
  for (const text of [...added, ...reworded.map(([, text]) => text)]) texts.delete(text);
  return texts;
}

interface Placed {
  heading: string;
  text: string;
}

/** Blocks with a report's content, without headings and remarks. */
const SAID = ["paragraph", "list", "table"];

const listPlaced = (document: ReportDocument): Placed[] =>
  splitSections(document)
    .filter(({ isAppendix }) => !isAppendix)
    .flatMap(({ blocks }) => {
      const [first] = blocks;
      const heading = first?.type === "heading" ? first.text : "";
      return blocks
        .filter(({ type }) => SAID.includes(type))
        .flatMap(listBlockTexts)
        .map((text) => ({ heading, text }));
    });

/** Group texts missing in the other report by their heading and the shared text before them. */
function groupByPlace(placed: Placed[], others: Set<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  let last = "";
  for (const { heading, text } of placed) {
    if (others.has(text)) {
      last = text;
      continue;
    }
    const place = JSON.stringify([heading, last]);
    const there = groups.get(place);
    if (there) there.push(text);
    else groups.set(place, [text]);
  }
  return groups;
}

const listWords = (text: string) => new Set(text.toLowerCase().split(/\s+/));

function isAlike(one: string, other: string): boolean {
  const [words, others] = [listWords(one), listWords(other)];
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared >= ALIKE * Math.max(words.size, others.size);
}
