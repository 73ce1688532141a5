import { lazy, Suspense } from "react";

import type { Definition } from "../api/client";
import { listRequired, pickFields, type ObjectSchema } from "../parts/form/field-schema";
import { withWords } from "../strings";
import { useValidity } from "./price-tag";
import type { Choices } from "./start-choices";

const SchemaFields = lazy(() =>
  withWords(import("../parts/form/schema-fields")).then((form) => ({ default: form.SchemaFields })),
);

interface Given {
  definition: Definition | undefined;
  choices: Choices;
  onChange: (choices: Choices) => void;
}

/** What a kind of research cannot do without, beside the question. */
export function NeededFields({ definition, choices, onChange }: Given) {
  const inputs = (useValidity(definition).data?.inputs_schema ?? {}) as ObjectSchema;
  const needed = pickFields(inputs, (name) => listRequired(inputs).includes(name));
  if (Object.keys(needed.properties ?? {}).length === 0) return null;
  return (
    <div className="needed grid">
      <Suspense>
        <SchemaFields
          schema={needed}
          values={choices.inputs}
          onChange={(values) => onChange({ ...choices, inputs: values })}
        />
      </Suspense>
    </div>
  );
}
