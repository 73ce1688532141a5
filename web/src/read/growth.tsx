import type { Patch } from "../run-state/run-log";
import { useWords } from "../strings";

interface Given {
  patches: Patch[];
  /** Which change the report is shown after; null: as it is now. */
  moment: number | null;
  onMoment: (moment: number | null) => void;
}

/** The way back through a report's growth, change by change. */
export function Growth({ patches, moment, onMoment }: Given) {
  const { t } = useWords();
  const last = patches.length;
  const value = moment ?? last;
  const patch = moment === null ? undefined : patches[moment];
  const said = patch ? t("read.growth.at", { n: value + 1, all: last, section: patch.section }) : t("read.growth.end");
  return (
    <section className="growth stack" aria-labelledby="growth">
      <label htmlFor="moment" id="growth">
        {t("read.growth")}
      </label>
      <input
        id="moment"
        type="range"
        min={0}
        max={last}
        value={value}
        aria-valuetext={said}
        onChange={(event) => onMoment(Number(event.target.value) === last ? null : Number(event.target.value))}
      />
      <output htmlFor="moment">{said}</output>
    </section>
  );
}
