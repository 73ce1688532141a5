/** What the text of a document lacks of it, part by part. */

import type { OwnFile } from "../../api/client";
import { useWords } from "../../strings/index";

interface Given {
  name: string;
  parts: OwnFile["unread"];
}

export function Unread({ name, parts = [] }: Given) {
  const { say } = useWords();
  return parts.map(({ code, count, of, names = [] }) => {
    const rest = count > names.length ? ", …" : "";
    const params = {
      name,
      n: count,
      ...(of ? { of } : {}),
      ...(names.length > 0 ? { names: names.join(", ") + rest } : {}),
    };
    return (
      <small key={code} className="doubt">
        {say({ code: `unread-${code.replaceAll("_", "-")}`, params })}
      </small>
    );
  });
}
