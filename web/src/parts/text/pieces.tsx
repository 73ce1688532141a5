import type { Piece } from "./diff";

/** A text that was changed, with what went and what came marked. */
export function Pieces({ pieces }: { pieces: Piece<string>[] }) {
  return pieces.map(({ kind, value }, n) => {
    if (kind === "added") return <ins key={n}>{value}</ins>;
    if (kind === "removed") return <del key={n}>{value}</del>;
    return <span key={n}>{value}</span>;
  });
}
