/** Fields of a form, drawn from a JSON Schema that the gateway serves. */

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
  maximum?: number;
  format?: string;
}

export interface ObjectSchema {
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

export type Values = Record<string, string | number | boolean>;

interface Given {
  schema: ObjectSchema;
  values: Values;
  onChange(values: Values): void;
}

export function SchemaFields({ schema, values, onChange }: Given) {
  const { t } = useWords();
  const change = (name: string, value: string | number | boolean) => {
    const { [name]: _, ...others } = values;
    onChange(value === "" ? others : { ...others, [name]: value });
  };
  return Object.entries(schema.properties ?? {}).map(([name, about]) => {
    const field = { ...about, ...about.anyOf?.find((one) => one.type !== "null") };
    const isRequired = schema.required?.includes(name) ?? false;
    const isDefault = about.default !== undefined && about.default !== null && about.default !== "";
    const hint = [
      about.description,
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
  value: string | number | boolean | undefined;
  isRequired: boolean;
  onChange(value: string | number | boolean): void;
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
  const isNumber = field.type === "integer" || field.type === "number";
  return (
    <input
      type={isNumber ? "number" : "text"}
      value={String(value ?? "")}
      required={isRequired}
      min={field.minimum}
      max={field.maximum}
      step={field.type === "integer" ? 1 : "any"}
      onChange={(e) => onChange(isNumber && e.target.value ? Number(e.target.value) : e.target.value)}
    />
  );
}
