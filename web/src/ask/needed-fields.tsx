import { lazy, Suspense } from "react";

import type { Definition } from "../api/client";
import type { ObjectSchema } from "../parts/form/field-schema";
import { withWords } from "../strings";
import { useValidity } from "./pricing";
import type { Choices } from "./start-choices";

const NeededForm = lazy(() => withWords(import("./needed-form")));

interface Given {
  definition: Definition | undefined;
  choices: Choices;
  onChange: (choices: Choices) => void;
}

/** The inputs that a kind of research requires in addition to the question. */
export function NeededFields({ definition, ...given }: Given) {
  const inputs = (useValidity(definition).data?.inputs_schema ?? {}) as ObjectSchema;
  if (!inputs.required?.length) return null;
  return (
    <Suspense>
      <NeededForm inputs={inputs} {...given} />
    </Suspense>
  );
}
