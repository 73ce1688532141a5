/** Fields of a form, drawn from a JSON Schema that the gateway serves. */

import { useState } from "react";

import { useWords } from "../strings";
import { humanize } from "./readable";

export interface FieldSchema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  anyOf?: FieldSchema[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  format?: string;
}

export interface ObjectSchema {
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

export type Value = string | number | boolean | string[];
export type Values = Record<string, Value>;

interface Given {
  schema: ObjectSchema;
  values: Values;
  onChange(values: Values): void;
}

export function SchemaFields({ schema, values, onChange }: Given) {
  const { t } = useWords();
  const change = (name: string, value: Value) => {
    const { [name]: _, ...others } = values;
    onChange(String(value) === "" ? others : { ...others, [name]: value });
  };
  return Object.entries(schema.properties ?? {}).map(([name, about]) => {
    const field = { ...about, ...about.anyOf?.find((one) => one.type !== "null") };
    const isRequired = schema.required?.includes(name) ?? false;
    const isDefault = String(about.default ?? "") !== "";
    const hint = [
      about.description,
      field.type === "array" && t("field.list"),
      isDefault && t("ask.default", { value: String(about.default) }),
    ].filter(Boolean);
    return (
      <label className="field" key={name}>
        <span>
          {humanize(field.title ?? name)}
          {isRequired && <em aria-hidden> *</em>}
        </span>
        <Input field={field} value={values[name]} isRequired={isRequired} onChange={(v) => change(name, v)} />
        {hint.length > 0 && <small>{hint.join(" · ")}</small>}
      </label>
    );
  });
}

interface InputGiven {
  field: FieldSchema;
  value: Value | undefined;
  isRequired: boolean;
  onChange(value: Value): void;
}

function Input({ field, value, isRequired, onChange }: InputGiven) {
  if (field.type === "boolean") {
    const checked = Boolean(value ?? field.default);
    return <input type="checkbox" checked={checked} onChange={(e) => onChange(e.target.checked)} />;
  }
  if (field.enum) {
    return (
      <select value={String(value ?? "")} required={isRequired} onChange={(e) => onChange(e.target.value)}>
        <option value="" />
        {field.enum.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  if (field.type === "array") return <ListInput value={value} onChange={onChange} />;
  const isNumber = field.type === "integer" || field.type === "number";
  return (
    <input
      type={isNumber ? "number" : "text"}
      value={String(value ?? "")}
      required={isRequired}
      min={field.minimum ?? findLeast(field)}
      max={field.maximum}
      step={field.type === "integer" ? 1 : "any"}
      onChange={(e) => onChange(isNumber && e.target.value ? Number(e.target.value) : e.target.value)}
    />
  );
}

/** Several words in one field; what is typed stays as it is typed. */
function ListInput({ value, onChange }: { value: Value | undefined; onChange(value: Value): void }) {
  const [text, setText] = useState(Array.isArray(value) ? value.join(", ") : "");
  return (
    <input
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(event.target.value.split(",").map((word) => word.trim()).filter(Boolean));
      }}
    />
  );
}

/** A whole number above another is at least the next; of others the gateway says what is too little. */
const findLeast = ({ type, exclusiveMinimum }: FieldSchema) =>
  type === "integer" && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : undefined;
