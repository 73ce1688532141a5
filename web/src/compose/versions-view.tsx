/** The versions of a definition, and how any two differ. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { getDefinition, listVersions } from "../api/client";
import { diffWords } from "../parts/text/diff";
import { ErrorNotice, Loading } from "../parts/notices";
import { nameField, nameOption } from "../parts/form/field-words";
import { Pieces } from "../parts/text/pieces";
import { useWords } from "../strings";
import { findChanges } from "./definition/changes";
import { findUsual, readId, readText, readTitle, toDraft, type Draft, type Kinds } from "./definition/draft";
import { Facts } from "../parts/text/facts";

/** The version that is being written. */
const HERE = 0;

interface Given {
  id: string;
  /** The version that the definition written here changes. */
  version: number;
  definition: Draft;
  isDirty: boolean;
  kinds: Kinds;
  onTakeOver: (definition: Draft) => void;
}

export function VersionsView({ id, version, definition, isDirty, kinds, onTakeOver }: Given) {
  const { t, date } = useWords();
  const versions = useQuery({ queryKey: ["versions", id], queryFn: () => listVersions(id), refetchOnMount: "always" });
  const [chosen, setChosen] = useState<{ from: number; to: number } | null>(null);
  const newest = versions.data?.[0]?.version ?? version;
  const isOld = newest > version;
  const usual = isOld
    ? { from: version, to: newest }
    : isDirty
      ? { from: newest, to: HERE }
      : { from: newest - 1, to: newest };
  const { from, to } = chosen ?? { ...usual, from: Math.max(1, usual.from) };
  const before = useVersion(id, from, kinds, definition);
  const after = useVersion(id, to, kinds, definition);
  if (versions.error) return <ErrorNotice error={versions.error} onRetry={() => void versions.refetch()} />;
  if (!versions.data) return <Loading />;
  const choices = [
    ...(isDirty ? [{ version: HERE, label: t("compose.versions.here") }] : []),
    ...versions.data.map(({ version, created_at }) => ({
      version,
      label: [t("compose.version", { n: version }), created_at && date(created_at)].filter(Boolean).join(", "),
    })),
  ];
  const select = (label: string, value: number, choose: (version: number) => void) => (
    <label className="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(Number(event.target.value))}>
        {choices.map((choice) => (
          <option key={choice.version} value={choice.version}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div className="versions list stack">
      <div className="grid">
        {select(t("compose.versions.from"), from, (chosen) => setChosen({ from: chosen, to }))}
        {select(t("compose.versions.to"), to, (chosen) => setChosen({ from, to: chosen }))}
      </div>
      {before.error && <ErrorNotice error={before.error} />}
      {after.error && <ErrorNotice error={after.error} />}
      {before.draft && after.draft && <Changes before={before.draft} after={after.draft} kinds={kinds} />}
      {from !== HERE && before.draft && (from !== version || isDirty) && (
        <button type="button" onClick={() => onTakeOver(before.draft!)}>
          {t("compose.versions.take", { n: from })}
        </button>
      )}
    </div>
  );
}

function useVersion(id: string, version: number, kinds: Kinds, here: Draft) {
  const found = useQuery({
    queryKey: ["definition", id, version],
    queryFn: () => getDefinition(id, version),
    enabled: version !== HERE,
    staleTime: Infinity,
  });
  return { draft: version === HERE ? here : found.data && toDraft(found.data, kinds), error: found.error };
}

function Changes({ before, after, kinds }: { before: Draft; after: Draft; kinds: Kinds }) {
  const { t, say } = useWords();
  const changes = findChanges(before, after);
  const titles = new Map([...before.phases, ...after.phases].map((phase) => [readId(phase), readTitle(phase, kinds)]));
  const call = (id: string) => titles.get(id) ?? id;
  /** A value in words: phases by their titles, values to choose by their names. */
  function show(field: string, value: unknown): string {
    if (value === undefined || value === null) return "";
    if (field === "" || field === "report_phase") return call(value as string);
    if (field === "after" && Array.isArray(value)) return value.map(call).join(", ") || t("compose.after.none");
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ") || "–";
    if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
    return typeof value === "string" ? nameOption(value, say) : JSON.stringify(value);
  }
  /** The default, where a version leaves it at that. */
  function showDefault(id: string, field: string): string {
    const phase = [...after.phases, ...before.phases].find((one) => readId(one) === id);
    const kind = phase && field !== "" ? kinds.get(readText(phase["kind"])) : undefined;
    return kind ? show(field, findUsual(kind)[field]) : "";
  }
  if (changes.length === 0) return <p className="muted">{t("compose.versions.same")}</p>;
  return (
    <ul className="definition-changes card stack">
      {changes.map(({ phase, field, ...values }) => (
        <li key={`${phase} ${field}`}>
          <small>
            <Facts of={[phase ? call(phase) : t("compose.definition"), field && nameField(field, say)]} />
          </small>
          <p className="said">
            <Difference
              before={show(field, values.before) || showDefault(phase, field)}
              after={show(field, values.after) || showDefault(phase, field)}
            />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Texts are compared word by word; for other values, the old value precedes the new one. */
function Difference({ before, after }: { before: string; after: string }) {
  const isText = before.length + after.length < 4_000 && before.includes(" ") && after.includes(" ");
  if (isText) return <Pieces pieces={diffWords(before, after)} />;
  return (
    <>
      {before && <del>{before}</del>}
      {before && after && " "}
      {after && <ins>{after}</ins>}
    </>
  );
}
