import type { PhaseView } from "../api/client";
import { Lamp } from "../parts/lamp";
import { useWords } from "../strings";

/** The way of a run, phase by phase, and where it is on it. */
export function PhaseStrip({ phases }: { phases: PhaseView[] }) {
  const { t } = useWords();
  return (
    <ol className="strip" aria-label={t("run.phases")}>
      {phases.map(({ id, title, status }) => (
        <li key={id} data-status={status} aria-current={status === "running" || status === "waiting" ? "step" : undefined}>
          <Lamp status={status} />
          {title}
          <span className="unseen">: {t(status === "waiting" ? "status.phase.waiting" : `status.${status}`)}</span>
        </li>
      ))}
    </ol>
  );
}
