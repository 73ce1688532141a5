import { useEffect, useRef, useState, type ReactNode } from "react";

import { useWords } from "../../strings";
import "./rows.css";
import { pick } from "../pick";

interface Given<T> {
  title: string;
  /** What adding one is called. */
  adds?: string;
  /** The description of all rows. */
  about?: ReactNode;
  rows: T[];
  /** A row that is added, before anything is written in it. */
  made: T;
  most?: number | undefined;
  /** Whether the row in a place stays as it is, and where it is. */
  isFixed?: (n: number) => boolean;
  onChange: (rows: T[]) => void;
  /** `isNew`: it was added here. */
  draw: (row: T, change: (row: T) => void, label: string, isNew: boolean, n: number) => ReactNode;
}

const FIELDS = "input, select, textarea";

/** Rows that are moved, added and taken out; the focus goes with the row, or to the one that took its place. */
export function Rows<T>({
  title,
  adds,
  about,
  rows,
  made,
  most = Infinity,
  isFixed = () => false,
  onChange,
  draw,
}: Given<T>) {
  const { t } = useWords();
  const list = useRef<HTMLOListElement>(null);
  const adding = useRef<HTMLButtonElement>(null);
  const wanted = useRef<{ row: number; does: "up" | "down" | "remove" | "write" }>(null);
  const [keys, setKeys] = useState<number[]>([]);
  const [added, setAdded] = useState(0);
  const known = keys.length === rows.length ? keys : rows.map((_, n) => -n); // added rows have keys above 0

  useEffect(() => {
    if (!wanted.current) return;
    const { row, does } = wanted.current;
    wanted.current = null;
    const place = list.current?.children[Math.min(row, rows.length - 1)];
    const actions = place?.lastElementChild;
    const chosen =
      does === "write"
        ? place?.querySelector<HTMLElement>(FIELDS)
        : actions?.querySelector<HTMLElement>(`[data-does=${does}]:enabled`);
    (chosen ?? actions?.querySelector<HTMLElement>(":enabled") ?? adding.current)?.focus();
  });

  function write(changed: T[], as: number[], row: number, does: "up" | "down" | "remove" | "write") {
    wanted.current = { row, does };
    setKeys(as);
    onChange(changed);
  }

  const without = <V,>(all: V[], n: number) => all.toSpliced(n, 1);
  const moved = <V,>(all: V[], from: number, to: number) => without(all, from).toSpliced(to, 0, pick(all, from));
  const move = (n: number, to: number, does: "up" | "down") => write(moved(rows, n, to), moved(known, n, to), to, does);
  const add = () => {
    setAdded(added + 1);
    write([...rows, made], [...known, added + 1], rows.length, "write");
  };
  return (
    <fieldset>
      <legend>{title}</legend>
      {about}
      <ol className="edit-rows" ref={list}>
        {rows.map((row, n) => {
          const label = `${title} ${n + 1}`;
          return (
            <li key={known[n]}>
              {draw(row, (changed) => onChange(rows.with(n, changed)), label, pick(known, n) > 0, n)}
              {!isFixed(n) && (
                <span className="row-actions">
                  <button
                    type="button"
                    className="quiet"
                    data-does="up"
                    disabled={n === 0 || isFixed(n - 1)}
                    aria-label={t("rows.up", { row: label })}
                    onClick={() => move(n, n - 1, "up")}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    className="quiet"
                    data-does="down"
                    disabled={n === rows.length - 1 || isFixed(n + 1)}
                    aria-label={t("rows.down", { row: label })}
                    onClick={() => move(n, n + 1, "down")}
                  >
                    ↓
                  </button>
                  <button
                    type="button"
                    className="quiet"
                    data-does="remove"
                    disabled={rows.some((_, later) => later > n && isFixed(later))}
                    aria-label={t("rows.remove", { row: label })}
                    onClick={() => write(without(rows, n), without(known, n), n, "remove")}
                  >
                    ✕
                  </button>
                </span>
              )}
            </li>
          );
        })}
      </ol>
      <button type="button" className="quiet" ref={adding} disabled={rows.length >= most} onClick={add}>
        + {adds ?? t("rows.add", { title })}
      </button>
    </fieldset>
  );
}
