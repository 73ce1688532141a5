import { useQuery } from "@tanstack/react-query";

import { getMetadata, listStartups, type Definition } from "../api/client";
import { listRequired, pickFields, type ObjectSchema } from "../parts/form/field-schema";
import { SchemaFields } from "../parts/form/schema-fields";
import { useWords } from "../strings";
import { useValidity } from "./pricing";
import { isLimited, type Choices } from "./start-choices";

interface Given {
  definition: Definition | undefined;
  choices: Choices;
  onChange: (choices: Choices) => void;
}

/** What most people leave alone, drawn from the schemas that the gateway serves. */
export default function OptionFields({ definition, choices, onChange }: Given) {
  const { t, usd } = useWords();
  const validity = useValidity(definition);
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata, staleTime: 60_000 });
  const startups = useQuery({ queryKey: ["startups"], queryFn: listStartups, staleTime: 60_000 });
  const inputs = (validity.data?.inputs_schema ?? {}) as ObjectSchema;
  const optional = pickFields(inputs, (name) => !listRequired(inputs).includes(name));
  const set = (change: Partial<Choices>) => onChange({ ...choices, ...change });
  return (
    <>
      <div className="grid">
        <label className="field">
          <span>{t("ask.budget")}</span>
          <input
            type="number"
            min="0.01"
            step="0.01"
            value={choices.budget}
            placeholder={metadata.data && usd(metadata.data.cap_usd)}
            onChange={(event) => set({ budget: event.target.value })}
          />
          <small>{t("ask.budget.hint")}</small>
        </label>
        {startups.data && startups.data.length > 0 && (
          <label className="field">
            <span>{t("ask.startup")}</span>
            <select value={choices.startup} onChange={(event) => set({ startup: event.target.value })}>
              <option value="">{t("ask.startup.none")}</option>
              {startups.data.map((startup) => (
                <option key={startup.id} value={startup.id}>
                  {startup.name}
                </option>
              ))}
            </select>
          </label>
        )}
        <SchemaFields schema={optional} values={choices.inputs} onChange={(values) => set({ inputs: values })} />
      </div>
      {isLimited(definition) && metadata.data && (
        <fieldset>
          <legend>{t("ask.limits")}</legend>
          <div className="grid">
            <SchemaFields
              schema={metadata.data.research_settings_schema}
              values={choices.limits}
              onChange={(values) => set({ limits: values })}
            />
          </div>
        </fieldset>
      )}
      <label className="check">
        <input type="checkbox" checked={choices.fresh} onChange={(event) => set({ fresh: event.target.checked })} />
        {t("ask.fresh")}
      </label>
      <label className="check">
        <input type="checkbox" checked={choices.batch} onChange={(event) => set({ batch: event.target.checked })} />
        {t("ask.batch")}
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={choices.temporary}
          onChange={(event) => set({ temporary: event.target.checked })}
        />
        {t("ask.temp")}
      </label>
    </>
  );
}
