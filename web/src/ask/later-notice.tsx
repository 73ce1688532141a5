import { useWords } from "../strings";
import type { Coded } from "../strings/messages";

/** A notice of the gateway, whose words the first view does without. */
export default function LaterNotice({ notice }: { notice: Coded }) {
  const { say } = useWords();
  return <small>{say(notice)}</small>;
}
