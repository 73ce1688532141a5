/** A value with parts of its own: fields that are named, or rows. */

import type { FieldProblem } from "../../api/client";
import { useWords } from "../../strings";
import { findWithin, nameRow, resolveField, type FieldSchema, type Value, type Values } from "./field-schema";
import { Rows } from "./rows";
import { SchemaFields, type FieldGiven } from "./schema-fields";
import { Wrong } from "./wrong";

/** Rows of more fields than this are folded. */
const SHORT_ROW = 2;

export default function CompoundField({ form, ...given }: FieldGiven & { form: "rows" | "parts" }) {
  return form === "rows" ? <RowsField {...given} /> : <PartsField {...given} />;
}

/** Return the faults of a value as a whole, and of its fields that are not shown. */
const findUndrawn = (problems: FieldProblem[], { properties = {} }: FieldSchema) =>
  problems.filter((problem) => !Object.keys(properties).some((name) => findWithin([problem], name).length > 0));

/** A value with its own fields; it is omitted if all of them are empty. */
function PartsField({ title, field, definitions, value, problems, onChange }: FieldGiven) {
  return (
    <fieldset>
      <legend>{title}</legend>
      {field.description && <small>{field.description}</small>}
      <Wrong problems={findUndrawn(problems, field)} />
      <SchemaFields
        schema={{ ...field, $defs: definitions }}
        values={(value ?? {}) as Values}
        problems={problems}
        onChange={(parts) => onChange(Object.keys(parts).length > 0 ? parts : "")}
      />
    </fieldset>
  );
}

/** Several values, each in a row; long ones are folded. What is left out is shown as the gateway fills it in. */
function RowsField({ title, field, definitions, value, problems, onChange }: FieldGiven) {
  const { t, say } = useWords();
  const usual = (field.default ?? []) as Value[];
  const rows = (value ?? usual) as Value[];
  const made = resolveField(field.items!, {}, definitions).type === "object" ? {} : "";
  const elsewhere = problems.filter(({ path }) => !path.startsWith("["));
  const about = (
    <>
      {field.description && <small>{field.description}</small>}
      <Wrong problems={elsewhere} />
      {value !== undefined && usual.length > 0 && (
        <button type="button" className="link" onClick={() => onChange("")}>
          {t("field.default")}
        </button>
      )}
    </>
  );
  const draw = (row: Value, change: (row: Value) => void, label: string, isNew: boolean) => {
    const item = resolveField(field.items!, row, definitions);
    const own = findWithin(problems, `[${rows.indexOf(row)}]`);
    if (!item.properties)
      return <input aria-label={label} value={String(row)} onChange={(event) => change(event.target.value)} />;
    const fields = (
      <SchemaFields schema={{ ...item, $defs: definitions }} values={row as Values} problems={own} onChange={change} />
    );
    const whole = findUndrawn(own, item);
    const isShort = Object.keys(item.properties).length <= SHORT_ROW;
    return isShort ? (
      <div className="stack" role="group" aria-label={label}>
        {fields}
        <Wrong problems={whole} />
      </div>
    ) : (
      <details open={isNew || own.length > 0 || undefined}>
        <summary>{nameRow(row as Values, say) || label}</summary>
        <Wrong problems={whole} />
        {fields}
      </details>
    );
  };
  return (
    <Rows<Value>
      title={title}
      about={about}
      rows={rows}
      made={made}
      most={field.maxItems}
      onChange={onChange}
      draw={draw}
    />
  );
}
