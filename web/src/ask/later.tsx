import { useWords, type Key, type Words } from "../strings";

/** Rare messages of the first view: their texts are loaded when needed. */
export default function Later({ says, values }: { says: Key; values?: Parameters<Words["t"]>[1] }) {
  const { t } = useWords();
  return <span>{t(says, values)}</span>;
}
