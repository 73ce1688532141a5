import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { listDefinitions, type RunState } from "../../api/client";
import { useDefinition } from "../../parts/hooks/definition";
import { keepDraft } from "../../parts/hooks/draft";
import { EACH_STEP, waitsAfterSteps } from "../../parts/phases/waits-after-steps";
import { useWords } from "../../strings";

/** Whether one decides after each step of the plan or sees its result at the end, and the other way. */
export function StepsPace({ state }: { state: RunState }) {
  const { t, named } = useWords();
  const [, navigate] = useLocation();
  const definition = useDefinition(state);
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions, staleTime: 60_000 });
  const other = definitions.data?.find(({ id }) => id === EACH_STEP);
  if (!definition) return <p className="pace" />;
  if (waitsAfterSteps(definition)) return <p className="pace muted">{t("plan.pace.each")}</p>;
  return (
    <p className="pace muted">
      {t("plan.pace.through")}{" "}
      {other && (
        <button
          type="button"
          className="link"
          onClick={() => {
            keepDraft("ask", state.query);
            keepDraft("ask.how", other.id);
            navigate("/");
          }}
        >
          {t("plan.pace.other", { way: named(other) })}
        </button>
      )}
    </p>
  );
}
