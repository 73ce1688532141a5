/** Fields of a form, drawn from a JSON Schema that the gateway serves. */

import { lazy, Suspense, useId, useState } from "react";

import type { FieldProblem } from "../../api/client";
import { useWords, withWords } from "../../strings";
import {
  findForm,
  findLeast,
  findWithin,
  resolveField,
  type FieldForm,
  type FieldSchema,
  type ObjectSchema,
  type Value,
  type Values,
} from "./field-schema";
import { describeField, nameField, nameOption } from "./field-words";
import { Wrong } from "./wrong";
import { Facts } from "../text/facts";

/** Texts that may be longer than this are written in lines. */
const LINE_CHARS = 1_000;

/** Loaded where there is one: no form of the first view has any. */
const CompoundField = lazy(() => withWords(import("./compound-field")));

interface Given {
  schema: ObjectSchema;
  values: Values;
  /** `name` is the field that was changed. */
  onChange: (values: Values, name: string) => void;
  /** What is wrong, by the path from here. */
  problems?: FieldProblem[];
}

export function SchemaFields({ schema, values, onChange, problems = [] }: Given) {
  const { say } = useWords();
  const { properties = {}, required = [], $defs = {} } = schema;
  return Object.entries(properties).map(([name, about]) => {
    const resolved = resolveField(about, values[name], $defs);
    const field = { ...resolved, description: describeField(name, say, resolved) };
    const change = (value: Value) => {
      const { [name]: _, ...others } = values;
      const isUsual = typeof value === "boolean" && value === about.default;
      onChange(value === "" || isUsual ? others : { ...others, [name]: value }, name);
    };
    return (
      <Field
        key={name}
        title={nameField(name, say, field)}
        field={field}
        definitions={$defs}
        value={values[name]}
        isRequired={required.includes(name)}
        problems={findWithin(problems, name)}
        onChange={change}
      />
    );
  });
}

export interface FieldGiven {
  title: string;
  field: FieldSchema;
  definitions: Record<string, FieldSchema>;
  value: Value;
  isRequired: boolean;
  problems: FieldProblem[];
  onChange: (value: Value) => void;
}

function Field(given: FieldGiven) {
  const { t, say } = useWords();
  const id = useId();
  const { title, field, definitions, value, isRequired, problems } = given;
  const form = findForm(field, value, definitions);
  if (form === "rows" || form === "parts") {
    return (
      <Suspense>
        <CompoundField {...given} form={form} />
      </Suspense>
    );
  }
  const isDefault = form !== "switch" && typeof field.default !== "object" && String(field.default ?? "") !== "";
  const hints = [
    field.description,
    form === "words" && t("field.list"),
    form === "json" && t("field.json"),
    isDefault &&
      t("ask.default", { value: form === "choice" ? nameOption(String(field.default), say) : String(field.default) }),
  ].filter(Boolean);
  return (
    <label className="field">
      <span id={`${id}name`} data-required={isRequired || undefined}>
        {title}
      </span>
      <Input {...given} form={form} id={id} />
      <span className="hints" id={id}>
        <Wrong problems={problems} />
        {hints.length > 0 && (
          <small>
            <Facts of={hints} />
          </small>
        )}
      </span>
    </label>
  );
}

interface InputGiven extends FieldGiven {
  form: FieldForm;
  /** The id of its description, and the prefix of its name's id. */
  id: string;
}

function Input({ field, form, value, isRequired, problems, id, onChange }: InputGiven) {
  const list = useId();
  const { say } = useWords();
  const told = { "aria-labelledby": `${id}name`, "aria-describedby": id, "aria-invalid": problems.length > 0 };
  const text = String(value ?? "");
  if (form === "switch") {
    const checked = Boolean(value ?? field.default);
    return <input type="checkbox" {...told} checked={checked} onChange={(e) => onChange(e.target.checked)} />;
  }
  if (form === "choice") {
    return (
      <select {...told} value={text} required={isRequired} onChange={(e) => onChange(e.target.value)}>
        {[...new Set(["", ...field.enum!, text])].map((choice) => (
          <option key={choice} value={choice}>
            {choice && nameOption(choice, say)}
          </option>
        ))}
      </select>
    );
  }
  if (form === "words") return <TextOf {...LIST} {...told} value={value} onChange={onChange} />;
  if (form === "json") return <TextOf {...JSON_TEXT} {...told} value={value ?? field.default} onChange={onChange} />;
  if ((field.maxLength ?? 0) > LINE_CHARS) {
    return <textarea rows={2} {...told} value={text} onChange={(e) => onChange(e.target.value)} />;
  }
  const isNumber = form === "number";
  return (
    <>
      <input
        {...told}
        type={isNumber ? "number" : "text"}
        list={field.examples && list}
        value={text}
        required={isRequired}
        min={findLeast(field)}
        max={field.maximum}
        step={field.type === "integer" ? 1 : "any"}
        onChange={(e) => onChange(isNumber && e.target.value ? Number(e.target.value) : e.target.value)}
      />
      {field.examples && (
        <datalist id={list}>
          {field.examples.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
      )}
    </>
  );
}

interface Writing {
  read: (text: string) => Value;
  write: (value: Value) => string;
  isLong: boolean;
}

/** Several words with commas between. */
const LIST: Writing = {
  read(text) {
    const words = text
      .split(",")
      .map((word) => word.trim())
      .filter(Boolean);
    return words.length > 0 ? words : "";
  },
  write: (value) => (Array.isArray(value) ? value.join(", ") : ""),
  isLong: false,
};

/** Invalid JSON is passed on as text: the gateway reports its faults. */
const JSON_TEXT: Writing = {
  read(text) {
    try {
      return JSON.parse(text) as Value;
    } catch {
      return text;
    }
  },
  write: (value) => (typeof value === "string" ? value : value == null ? "" : JSON.stringify(value, null, 2)),
  isLong: true,
};

/** A value written as text; what is typed stays as it is typed for as long as it means the value. */
function TextOf({
  read,
  write,
  isLong,
  value,
  onChange,
  ...told
}: Writing & { value: Value; onChange: (value: Value) => void }) {
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
