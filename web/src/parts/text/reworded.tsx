import { diffWords } from "./diff";
import { Pieces } from "./pieces";

/** The words of two sentences that are compared one by one; longer ones are shown one after the other. */
const MOST_CHARS = 2_000;

/** A sentence as it was and is; one that is empty there was added, here removed. */
export function Reworded({ before, after }: { before: string; after: string }) {
  if (!before) return <ins>{after}</ins>;
  if (!after) return <del>{before}</del>;
  if (before.length + after.length <= MOST_CHARS) return <Pieces pieces={diffWords(before, after)} />;
  return (
    <>
      <del>{before}</del> <ins>{after}</ins>
    </>
  );
}
