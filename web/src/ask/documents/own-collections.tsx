/** The collections to search in addition to the web. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { listCollections } from "../../api/client";
import { useWords } from "../../strings";

interface Given {
  chosen: string[];
  onChange: (names: string[]) => void;
}

export function OwnCollections({ chosen, onChange }: Given) {
  const { t } = useWords();
  const found = useQuery({ queryKey: ["collections"], queryFn: listCollections, staleTime: 10_000 });
  const known = found.data?.filter((one) => !one.is_folder) ?? [];
  if (known.length === 0) return null;
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <fieldset className="own-collections">
      <legend className="muted">
        {t("ask.collections")} <Link href="/collections">{t("ask.collections.edit")}</Link>
      </legend>
      {known.map((one) => (
        <label key={one.name} className="check">
          <input type="checkbox" checked={chosen.includes(one.name)} onChange={() => toggle(one.name)} />
          {t("ask.collections.one", { name: one.name, n: one.documents })}
        </label>
      ))}
    </fieldset>
  );
}
