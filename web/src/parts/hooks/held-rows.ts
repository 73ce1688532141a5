import { useState, useSyncExternalStore } from "react";

interface Given<Row> {
  rows: Row[];
  keyOf: (row: Row) => string;
  /** The filter of the list: another filter's rows are shown at once. */
  of?: string;
  /** Whether a row goes at once when it leaves, as one that was settled here. */
  mayLeave?: (row: Row) => boolean;
}

/**
 * Keep the rows of a list where they are while somebody reads it: rows that arrive above them are held back until they
 * are asked for, and those that leave stay. A hidden page holds nothing, and rows below the last one are added.
 */
export function useHeldRows<Row>({ rows, keyOf, of = "", mayLeave = () => false }: Given<Row>) {
  const isHidden = useSyncExternalStore(listen, () => document.hidden);
  const [held, setHeld] = useState({ of, rows });
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  const isGone = (row: Row) => !now.has(keyOf(row));
  const stays = held.rows.filter((row) => !isGone(row) || !mayLeave(row));
  const isFree = isHidden || held.of !== of || stays.length === 0;
  const known = new Set(stays.map(keyOf));
  const end = isFree ? 0 : rows.findLastIndex((row) => known.has(keyOf(row))) + 1;
  const isNew = (row: Row) => !known.has(keyOf(row));
  const shown = isFree
    ? rows
    : [...stays.map((row) => now.get(keyOf(row)) ?? row), ...(end > 0 ? rows.slice(end).filter(isNew) : [])];
  if (held.of !== of || String(shown.map(keyOf)) !== String(held.rows.map(keyOf))) setHeld({ of, rows: shown });
  return {
    rows: shown,
    /** The rows that are held back. */
    fresh: isFree ? [] : rows.slice(0, end || undefined).filter(isNew),
    isGone,
    show: () => setHeld({ of, rows }),
  };
}

function listen(onChange: () => void) {
  document.addEventListener("visibilitychange", onChange);
  return () => document.removeEventListener("visibilitychange", onChange);
}
