import { useWords } from "../strings";
import type { Coded } from "../strings/messages";

/** A notice of the gateway; its texts are not part of the first view's bundle. */
export default function LaterNotice({ notice }: { notice: Coded }) {
  const { say } = useWords();
  return <small>{say(notice)}</small>;
}
