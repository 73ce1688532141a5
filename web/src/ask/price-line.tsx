/** The depth, and what the run costs and takes at it: above the button that starts the run. */

import { lazy, Suspense, useState, type ComponentProps } from "react";

import type { Definition, Depth, Sample } from "../api/client";
import { sayMinutes } from "../parts/depth-facts";
import { nameDepth } from "../parts/depth-rows";
import { Lamp } from "../parts/lamp";
import { useProblemText } from "../parts/notices";
import { Facts } from "../parts/text/facts";
import { useWords, withWords } from "../strings";
import { DEFAULT_DEPTH, priceAt, type Pricing } from "./pricing";
import type { Choices } from "./start-choices";

const Course = lazy(() => withWords(import("./course")));

interface DepthGiven {
  depths: Depth[];
  choices: Choices;
  onChange: (choices: Choices) => void;
}

export function DepthChoice({ depths, choices, onChange }: DepthGiven) {
  const { t } = useWords();
  if (depths.length === 0) return null;
  return (
    <fieldset className="depths">
      <legend className="label">{t("depth.title")}</legend>
      {depths.map((depth) => (
        <label key={depth} className="radio-card">
          <input
            type="radio"
            name="depth"
            value={depth}
            checked={depth === (choices.depth ?? DEFAULT_DEPTH)}
            onChange={() => onChange({ ...choices, depth })}
          />
          {t(nameDepth(depth))}
        </label>
      ))}
    </fieldset>
  );
}

interface LineGiven {
  pricing: Pricing;
  depth: Depth | undefined;
  /** The recorded run that the question repeats. */
  sample: Sample | undefined;
}

/** Price and minutes of what is chosen, or why they are not known yet. */
export function PriceLine({ pricing, depth, sample }: LineGiven) {
  const words = useWords();
  const { t, usd } = words;
  const describe = useProblemText();
  const { estimate, isIncomplete, error } = pricing;
  if (!estimate) {
    const isAwaited = !isIncomplete && !error;
    return (
      <p className="price" role="status" data-awaited={isAwaited || undefined}>
        {isAwaited && <Lamp status="running" />}
        {isAwaited
          ? t("ask.price.checking")
          : isIncomplete
            ? t("ask.price.incomplete")
            : error && t("ask.price.unknown", { why: describe(error) })}
      </p>
    );
  }
  const { price, minutes } = priceAt(estimate, depth);
  return (
    <p className="price" role="status">
      <Facts
        of={[
          estimate.offline || !price
            ? t(sample ? "ask.price.recorded" : "ask.price.free")
            : t("ask.price", { expected: usd(price.expected_usd), top: usd(price.top_usd) }),
          minutes && sayMinutes(minutes, words),
        ]}
      />
    </p>
  );
}

/** What one agrees to by asking, where no plan is approved first. */
export function Consent({ definition }: { definition: Definition | undefined }) {
  const { t, described } = useWords();
  return definition?.consent ? (
    <p className="consent">{t("ask.consent", { what: described(definition, "consent") })}</p>
  ) : null;
}

/** What the other depths cost, and what happens after one has asked: few open it, so its words are loaded then. */
export function CourseFold(given: ComponentProps<typeof Course>) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const hasDepths = given.pricing.depths.length > 0;
  return (
    <details className="course" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t(hasDepths ? "ask.course.depths" : "ask.course")}</summary>
      <Suspense>{isOpen && <Course {...given} />}</Suspense>
    </details>
  );
}
