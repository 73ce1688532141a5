/** Fields of a form, drawn from a JSON Schema that the gateway serves. */

import { useId, useState } from "react";

import { useWords } from "../strings";
import { humanize } from "./readable";

export interface FieldSchema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  items?: FieldSchema;
  anyOf?: FieldSchema[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  format?: string;
}

export interface ObjectSchema {
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

export type Value = unknown;
export type Values = Record<string, Value>;

/** Texts that may be longer than this are written in lines. */
const LINE_CHARS = 1_000;

interface Given {
  schema: ObjectSchema;
  values: Values;
  /** `name` is the field that was changed. */
  onChange(values: Values, name: string): void;
  /** What is wrong with a field's value. */
  problems?: Record<string, string[]>;
}

export function SchemaFields({ schema, values, onChange, problems = {} }: Given) {
  const { t } = useWords();
  const id = useId();
  const change = (name: string, value: Value) => {
    const { [name]: _, ...others } = values;
    const isUsual = typeof value === "boolean" && value === schema.properties?.[name]?.default;
    const isLeftOut = value === "" || isUsual;
    onChange(isLeftOut ? others : { ...others, [name]: value }, name);
  };
  return Object.entries(schema.properties ?? {}).map(([name, about]) => {
    const field = { ...about, ...about.anyOf?.find((one) => one.type !== "null") };
    const isRequired = schema.required?.includes(name) ?? false;
    const isPlain = typeof about.default !== "object" || isList(field);
    const isDefault = isPlain && field.type !== "boolean" && String(about.default ?? "") !== "";
    const wrong = problems[name];
    const hint = [
      about.description,
      isList(field) && t("field.list"),
      isJson(field) && t("field.json"),
      isDefault && t("ask.default", { value: String(about.default) }),
    ].filter(Boolean);
    return (
      <label className="field" key={name}>
        <span>
          {humanize(field.title ?? name)}
          {isRequired && <em aria-hidden> *</em>}
        </span>
        <Input
          field={field}
          value={values[name]}
          isRequired={isRequired}
          wrong={wrong && `${id}${name}`}
          onChange={(v) => change(name, v)}
        />
        {wrong && (
          <small className="wrong" id={`${id}${name}`}>
            {wrong.join(" ")}
          </small>
        )}
        {hint.length > 0 && <small>{hint.join(" · ")}</small>}
      </label>
    );
  });
}

interface InputGiven {
  field: FieldSchema;
  value: Value | undefined;
  isRequired: boolean;
  /** The id of what says why it is wrong. */
  wrong: string | undefined;
  onChange(value: Value): void;
}

function Input({ field, value, isRequired, wrong, onChange }: InputGiven) {
  const told = wrong === undefined ? {} : { "aria-invalid": true, "aria-describedby": wrong };
  if (field.type === "boolean") {
    const checked = Boolean(value ?? field.default);
    return <input type="checkbox" {...told} checked={checked} onChange={(e) => onChange(e.target.checked)} />;
  }
  if (field.enum) {
    return (
      <select {...told} value={String(value ?? "")} required={isRequired} onChange={(e) => onChange(e.target.value)}>
        <option value="" />
        {field.enum.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  if (isList(field)) return <TextOf {...LIST} {...told} value={value} onChange={onChange} />;
  if (isJson(field)) return <TextOf {...JSON_TEXT} {...told} value={value ?? field.default} onChange={onChange} />;
  if ((field.maxLength ?? 0) > LINE_CHARS) {
    return <textarea rows={2} {...told} value={String(value ?? "")} onChange={(e) => onChange(e.target.value)} />;
  }
  const isNumber = field.type === "integer" || field.type === "number";
  return (
    <input
      {...told}
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

const isList = ({ type, items }: FieldSchema) => type === "array" && items?.type === "string";

/** Whether a value has parts of its own, which are written as JSON. */
const isJson = (field: FieldSchema) =>
  !isList(field) && !field.enum && !["string", "integer", "number", "boolean"].includes(field.type ?? "");

interface Writing {
  read(text: string): Value;
  write(value: Value): string;
  isLong: boolean;
}

/** Several words with commas between. */
const LIST: Writing = {
  read(text) {
    const words = text.split(",").map((word) => word.trim()).filter(Boolean);
    return words.length > 0 ? words : "";
  },
  write: (value) => (Array.isArray(value) ? value.join(", ") : ""),
  isLong: false,
};

/** A text that is no JSON is the value as it stands: the gateway says what is wrong with it. */
const JSON_TEXT: Writing = {
  read(text) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
  write: (value) => (typeof value === "string" ? value : value == null ? "" : JSON.stringify(value, null, 2)),
  isLong: true,
};

/** A value written as text; what is typed stays as it is typed for as long as it means the value. */
function TextOf({ read, write, isLong, value, onChange, ...told }: Writing & { value: Value; onChange(value: Value): void }) {
  const [typed, setTyped] = useState(() => write(value));
  const means = (text: string) => JSON.stringify(read(text)) === JSON.stringify(value ?? "");
  const text = means(typed) ? typed : write(value);
  const Field = isLong ? "textarea" : "input";
  return (
    <Field
      {...told}
      value={text}
      spellCheck={!isLong}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(read(event.target.value));
      }}
    />
  );
}

/** A whole number above another is at least the next; of others the gateway says what is too little. */
const findLeast = ({ type, exclusiveMinimum }: FieldSchema) =>
  type === "integer" && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : undefined;
