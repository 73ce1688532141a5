import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { checkDefinition, estimateRun, type Definition, type Sample } from "../api/client";
import type { ObjectSchema } from "../parts/form/field-schema";
import { DepthRows, DepthTime, useDepthPrices } from "../parts/depth-rows";
import { nameModel } from "../parts/model-name";
import { useWebPermission, type WebPermission } from "../parts/hooks/web-permission";
import { useDebounced } from "../parts/hooks/debounced";
import { waitsAfterSteps } from "../parts/phases/waits-after-steps";
import { useWords } from "../strings";
import { toStart, type Choices } from "./start-choices";

/** The cost of a run follows from what is run, not from the words of the question. */
const ANY_QUESTION = "What would it cost?";

/** What is known of a definition: its problems, its bindings, what a start of it may say. */
export function useValidity(definition: Definition | undefined) {
  return useQuery({
    queryKey: ["validity", definition?.id, definition?.version],
    queryFn: () => checkDefinition(definition?.id ?? ""),
    enabled: definition !== undefined,
    staleTime: Infinity,
  });
}

interface Given {
  definition: Definition | undefined;
  choices: Choices;
  /** The recorded run that the question repeats. */
  sample: Sample | undefined;
  onChange: (choices: Choices) => void;
  /** Choose the way to research that stops after each step; null: there is none. */
  toStops: Switch | null;
  /** Go back from it to what was chosen before; null: it was chosen by itself. */
  back: Switch | null;
}

/** A button that chooses another way to research, and names it. */
export interface Switch {
  label: string;
  onPress: () => void;
}

export function PriceTag({ definition, choices, sample, onChange, toStops, back }: Given) {
  const words = useWords();
  const { t, usd, described } = words;
  const settled = useDebounced(choices);
  const schema = useValidity(definition).data?.inputs_schema as ObjectSchema | undefined;
  const isWhole = schema?.required?.every((name) => name in settled.inputs) ?? true;
  const isField = ([name]: [string, unknown]) => name in (schema?.properties ?? {}); // others are of another kind
  const inputs = Object.fromEntries(Object.entries(settled.inputs).filter(isField));
  const estimate = useQuery({
    queryKey: ["estimate", definition?.id, settled, inputs],
    queryFn: () => estimateRun(definition?.id ?? "", toStart(ANY_QUESTION, { ...settled, inputs }, definition)),
    enabled: schema !== undefined && isWhole,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const permission = useWebPermission(definition?.id);
  const consent = definition?.consent ? t("ask.consent", { what: described(definition, "consent") }) : "";
  const waits = permission === "approval" ? t("ask.waits") : permission === "none" ? t("ask.known") : consent;
  const depths = estimate.data?.depths ?? [];
  const ofDepths = useDepthPrices(depths, estimate.data?.offline ?? false);
  if (!estimate.data) {
    const isAwaited = isWhole && !estimate.error;
    return (
      <p className="price" data-awaited={isAwaited || undefined}>
        {isAwaited ? t("ask.price.checking") : waits}
      </p>
    );
  }
  const { price, model, offline } = estimate.data;
  const values = { expected: usd(price.expected_usd), top: usd(price.top_usd), model };
  const free = sample ? `${nameModel({ model, offline, recorded: sample }, words)}.` : t("ask.price.free");
  const cost = depths.length > 0 ? ofDepths : t(offline ? "ask.price.would" : "ask.price", values); // else in its row
  return (
    <div className="price">
      {depths.length > 0 ? (
        <fieldset className="depths">
          <legend className="label">{t("depth.title")}</legend>
          <DepthRows depths={depths} offline={offline}>
            {(depth, words) => (
              <label key={depth} className="check">
                <input
                  type="radio"
                  name="depth"
                  value={depth}
                  checked={depth === (choices.depth ?? "standard")}
                  onChange={() => onChange({ ...choices, depth })}
                />
                <span>{words}</span>
              </label>
            )}
          </DepthRows>
          <DepthTime depths={depths} />
        </fieldset>
      ) : (
        <p>{t("depth.none")}</p>
      )}
      <p role="status">
        {offline && free} {waits}{" "}
        <Stops definition={definition} permission={permission} toStops={toStops} back={back} />
      </p>
      {cost && (
        <p className="would" title={model}>
          {cost}
        </p>
      )}
    </div>
  );
}

interface StopsGiven {
  definition: Definition | undefined;
  permission: WebPermission | null;
  toStops: Switch | null;
  back: Switch | null;
}

/** Where a run stops for its reader once it works; where it does not, how one stops it, and the way that does. */
function Stops({ definition, permission, toStops, back }: StopsGiven) {
  const { t } = useWords();
  if (!definition || !permission || permission === "none") return null;
  const stops = waitsAfterSteps(definition);
  const other = stops ? back : permission === "approval" ? toStops : null; // one button, which keeps the focus
  return (
    <>
      {t(stops ? "ask.stops.each" : "ask.stops.through")}{" "}
      {other && (
        <button type="button" className="link" onClick={other.onPress}>
          {other.label}
        </button>
      )}
    </>
  );
}
