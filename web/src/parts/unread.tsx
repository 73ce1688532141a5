/** What the text of a document lacks of it, part by part. */

import type { OwnFile } from "../api/client";
import { useWords, type Key } from "../strings";

interface Given {
  name: string;
  parts: OwnFile["unread"];
}

export function Unread({ name, parts = [] }: Given) {
  const { t } = useWords();
  return parts.map(({ code, count, of, names = [] }) => {
    const rest = count > names.length ? ", …" : "";
    const values = {
      name,
      n: count,
      ...(of ? { of } : {}),
      ...(names.length > 0 ? { names: names.join(", ") + rest } : {}),
    };
    return (
      <small key={code} className="doubt">
        {t(`notice.unread-${code.replaceAll("_", "-")}` as Key, values)}
      </small>
    );
  });
}
