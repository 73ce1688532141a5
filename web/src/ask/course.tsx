import type { Definition, Sample } from "../api/client";
import { DepthBasis, DepthRows } from "../parts/depth-rows";
import { useWebPermission, type WebPermission } from "../parts/hooks/web-permission";
import { nameModel } from "../parts/model-name";
import { waitsAfterSteps } from "../parts/phases/waits-after-steps";
import { useWords } from "../strings";
import type { Pricing } from "./pricing";

/** A button that chooses another way to research, and names it. */
export interface Switch {
  label: string;
  onPress: () => void;
}

interface Given {
  definition: Definition | undefined;
  pricing: Pricing;
  /** The recorded run that the question repeats. */
  sample: Sample | undefined;
  /** Choose the way to research that stops after each step; undefined: there is none. */
  toStops: Switch | undefined;
  /** Go back from it to what was chosen before; undefined: it was chosen by itself. */
  back: Switch | undefined;
}

/** What each depth costs, who answers, and where the run stops for its reader. */
export default function Course({ definition, pricing, sample, toStops, back }: Given) {
  const words = useWords();
  const { t, usd } = words;
  const permission = useWebPermission(definition?.id);
  const { estimate } = pricing;
  const depths = estimate?.depths ?? [];
  return (
    <div className="stack">
      {estimate && depths.length > 0 && (
        <>
          <ul className="plain">
            <DepthRows depths={depths}>{(depth, row) => <li key={depth}>{row}</li>}</DepthRows>
          </ul>
          <DepthBasis depths={depths} offline={estimate.offline} />
        </>
      )}
      {estimate?.offline && depths.length === 0 && (
        <p>{t("ask.price.would", { expected: usd(estimate.price.expected_usd), top: usd(estimate.price.top_usd) })}</p>
      )}
      {sample && <p>{nameModel({ model: "", offline: true, recorded: sample }, words)}.</p>}
      <p>
        {permission === "approval" && t("ask.waits")} {permission === "none" && t("ask.known")}{" "}
        <Stops definition={definition} permission={permission} toStops={toStops} back={back} />
      </p>
    </div>
  );
}

interface StopsGiven {
  definition: Definition | undefined;
  permission: WebPermission | null;
  toStops: Switch | undefined;
  back: Switch | undefined;
}

/** Where a run stops for its reader once it works; where it does not, how one stops it, and the way that does. */
function Stops({ definition, permission, toStops, back }: StopsGiven) {
  const { t } = useWords();
  if (!definition || !permission || permission === "none") return null;
  const stops = waitsAfterSteps(definition);
  const other = stops ? back : permission === "approval" ? toStops : undefined; // one button, which keeps the focus
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
