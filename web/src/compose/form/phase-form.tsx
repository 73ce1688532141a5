import { useQuery } from "@tanstack/react-query";

import { getMetadata, type FieldProblem } from "../../api/client";
import { findWithin, type ObjectSchema, type Values } from "../../parts/form/field-schema";
import { SchemaFields } from "../../parts/form/schema-fields";
import { useWords } from "../../strings";
import { readConfig, readId, readText, readTitle, type Draft, type DraftPhase, type Kinds } from "../definition/draft";
import { findShift, withField } from "../definition/edits";
import type { Problems } from "../definition/problems";
import { completeSchema } from "./complete-schema";
import { IdField } from "./id-field";
import { MissingPhases } from "./missing-phases";
import { OrderFields } from "./order-fields";
import { ProblemList } from "./problem-list";
import { pick } from "../../parts/pick";

interface Given {
  definition: Draft;
  index: number;
  kinds: Kinds;
  problems: Problems;
  onChange: (phase: DraftPhase, field: string) => void;
  onRename: (id: string) => void;
  onConnect: (from: string) => void;
  onDisconnect: (from: string) => void;
  onAddBefore: (kind: string) => void;
  onShift: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** Everything about one phase, drawn from the schemas of its kind. */
export function PhaseForm({ definition, index, kinds, problems, onChange, ...actions }: Given) {
  const { t } = useWords();
  const { phases } = definition;
  const phase = pick(phases, index);
  const kind = kinds.get(readText(phase["kind"]));
  const own = problems.ofPhases.get(index) ?? [];
  const models = useQuery({ queryKey: ["metadata"], queryFn: getMetadata, staleTime: 60_000 }).data?.prices ?? {};
  const settings = completeSchema(kind?.config_schema ?? {}, readConfig(phase), Object.keys(models));
  const others = (kind?.phase_schema ?? {}) as ObjectSchema;
  const isDrawn = ({ path }: FieldProblem) => {
    const [first = "", second = ""] = path.split(/[.[]/);
    if (first === "config") return second in (settings.properties ?? {});
    return ["id", "after", "bind"].includes(first) || first in (others.properties ?? {});
  };
  const changeConfig = (config: Values, name: string) =>
    onChange(withField(phase, "config", Object.keys(config).length > 0 ? config : undefined), `config.${name}`);
  return (
    <>
      {kind && <p className="muted">{kind.description}</p>}
      <ProblemList problems={own.filter((problem) => !isDrawn(problem))} />
      {kind && own.length > 0 && (
        <MissingPhases phases={phases} index={index} kinds={kinds} onAddBefore={actions.onAddBefore} />
      )}
      <OrderFields
        {...actions}
        phases={phases}
        index={index}
        kind={kind}
        kinds={kinds}
        problems={problems}
        onChange={onChange}
      />
      {Object.keys(settings.properties ?? {}).length > 0 && (
        <fieldset>
          <legend>{t("compose.settings")}</legend>
          <SchemaFields
            schema={settings}
            values={readConfig(phase)}
            problems={findWithin(own, "config")}
            onChange={changeConfig}
          />
        </fieldset>
      )}
      <details open={own.some(({ path }) => path === "id" || path in (others.properties ?? {})) || undefined}>
        <summary>{t("compose.more")}</summary>
        <IdField
          label={t("compose.phase.id")}
          hint={t("compose.phase.id.hint")}
          id={readId(phase)}
          problems={own.filter(({ path }) => path === "id")}
          onChange={actions.onRename}
        />
        <SchemaFields
          schema={others}
          values={phase}
          problems={own}
          onChange={(values, name) => onChange(values, name)}
        />
      </details>
      <div className="actions">
        <button type="button" disabled={!findShift(phases, index, -1)} onClick={() => actions.onShift(-1)}>
          {t("compose.earlier")}
        </button>
        <button type="button" disabled={!findShift(phases, index, 1)} onClick={() => actions.onShift(1)}>
          {t("compose.later")}
        </button>
        <button type="button" className="danger" onClick={actions.onRemove}>
          {t("compose.remove", { phase: readTitle(phase, kinds) })}
        </button>
      </div>
    </>
  );
}
