import { useWords, type Key, type Words } from "../strings";

/** What few are told on the first view: its words come once they are said. */
export default function Later({ says, values }: { says: Key; values?: Parameters<Words["t"]>[1] }) {
  const { t } = useWords();
  return <span>{t(says, values)}</span>;
}
