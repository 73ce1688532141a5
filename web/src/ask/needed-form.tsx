/** The fields of what a kind of research cannot do without. */

import { listRequired, pickFields, type ObjectSchema } from "../parts/form/field-schema";
import { SchemaFields } from "../parts/form/schema-fields";
import type { Choices } from "./start-choices";

interface Given {
  inputs: ObjectSchema;
  choices: Choices;
  onChange: (choices: Choices) => void;
}

export default function NeededForm({ inputs, choices, onChange }: Given) {
  const required = listRequired(inputs);
  return (
    <div className="needed grid">
      <SchemaFields
        schema={pickFields(inputs, (name) => required.includes(name))}
        values={choices.inputs}
        onChange={(values) => onChange({ ...choices, inputs: values })}
      />
    </div>
  );
}
