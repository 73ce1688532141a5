import type { Checkpoint, Depth, Plan, RunState } from "../api/client";
import { DepthBasis, DepthRows, nameDepth } from "../parts/depth-rows";
import { useWebPermission } from "../parts/hooks/web-permission";
import { nameFamily, nameModel } from "../parts/model-name";
import { Facts } from "../parts/text/facts";
import { useWords } from "../strings";
import { countSearches } from "./plan/plan";

interface Given {
  state: RunState;
  checkpoint: Checkpoint;
  /** The plan that is shown, as it was changed here. */
  plan: Plan | null;
  /** It stands within what is decided on: other depths are behind a summary. */
  isFolded: boolean;
  /** Approves the plan at another depth; null: not now. */
  onDepth: ((depth: Depth) => void) | null;
}

/** What a decision costs and reaches, who takes it, and until when. */
export function DecisionTerms({ state, checkpoint, plan, isFolded, onDepth }: Given) {
  const { t, date } = useWords();
  return (
    <aside className="terms stack" data-folded={isFolded || undefined}>
      {plan && checkpoint.subject?.type === "plan" && <PlanTerms state={state} plan={plan} />}
      {plan && (checkpoint.depths?.length ?? 0) > 0 && (
        <Depths
          checkpoint={checkpoint}
          offline={state.offline}
          own={plan.depth}
          isFolded={isFolded}
          onDepth={onDepth}
        />
      )}
      {checkpoint.poll && <Approvers poll={checkpoint.poll} />}
      <p className="muted">
        {t("approve.deadline")} <time dateTime={checkpoint.deadline}>{date(checkpoint.deadline)}</time>
      </p>
    </aside>
  );
}

interface DepthsGiven {
  checkpoint: Checkpoint;
  offline: boolean;
  own: Depth;
  isFolded: boolean;
  onDepth: Given["onDepth"];
}

/** The price of the plan at each depth, and a button for each other one. */
function Depths({ checkpoint, offline, own, isFolded, onDepth }: DepthsGiven) {
  const { t } = useWords();
  const depths = checkpoint.depths ?? [];
  const may = checkpoint.options?.includes("modify") && checkpoint.options.includes("approve");
  const rows = (
    <>
      <ul className="plain stack">
        <DepthRows depths={depths}>
          {(depth, words) => (
            <li key={depth} aria-current={depth === own ? "true" : undefined}>
              {words}{" "}
              {depth === own ? (
                <small>{t("depth.own")}</small>
              ) : (
                may && (
                  <button type="button" disabled={!onDepth} onClick={() => onDepth?.(depth)}>
                    {t("depth.take", { depth: t(nameDepth(depth)).toLowerCase() })}
                  </button>
                )
              )}
            </li>
          )}
        </DepthRows>
      </ul>
      <DepthBasis depths={depths} offline={offline} />
    </>
  );
  if (!isFolded) {
    return (
      <section className="depths">
        <h3 className="label">{t("depth.title")}</h3>
        {rows}
      </section>
    );
  }
  return (
    <details className="depths">
      <summary>
        {t("depth.title")}: {t(nameDepth(own))}
      </summary>
      {rows}
    </details>
  );
}

function PlanTerms({ state, plan }: { state: RunState; plan: Plan }) {
  const words = useWords();
  const { t, say, usd } = words;
  const permission = useWebPermission(state.definition_id);
  const place = state.place ? say(state.place, state.searched) : t("approve.web");
  const files = state.files?.length ?? 0;
  const own = state.collections?.filter((one) => !one.replaces_web).map(({ name }) => `“${name}”`) ?? [];
  const servers = plan.servers?.filter(({ tools }) => tools?.length).map(({ name }) => name) ?? [];
  const kept = own.length > 0 ? t("approve.collections", { names: own.join(", "), where: place }) : place;
  return (
    <dl>
      <dt>{t("approve.price")}</dt>
      <dd className="figure">
        {state.offline ? t("approve.free") : t("approve.about", { usd: usd(plan.estimated_cost.expected_usd) })}
      </dd>
      <dd>
        {t(state.offline ? "approve.range.offline" : "approve.range", {
          low: usd(plan.estimated_cost.low_usd),
          expected: usd(plan.estimated_cost.expected_usd),
          top: usd(plan.estimated_cost.top_usd),
          model: nameFamily(state.model),
        })}
      </dd>
      {plan.estimated_duration && (
        <>
          <dt>{t("approve.time")}</dt>
          <dd className="figure">{plan.estimated_duration}</dd>
        </>
      )}
      {permission !== "none" && (
        <>
          <dt>{t("approve.reads")}</dt>
          <dd>
            {t("approve.searches", {
              where: files > 0 ? t("approve.files", { n: files, where: kept }) : kept,
              n: countSearches(plan),
            })}
          </dd>
          {servers.length > 0 && <dd>{t("approve.servers", { names: servers.join(", ") })}</dd>}
        </>
      )}
      <dt>{t("approve.model")}</dt>
      <dd>{nameModel(state, words)}</dd>
    </dl>
  );
}

/** Whether an approval also keeps the plan as a startup, where the checkpoint offers that. */
export function KeepStartup({ kept, onChange }: { kept: boolean; onChange: (kept: boolean) => void }) {
  const { t } = useWords();
  return (
    <label className="check">
      <input type="checkbox" checked={kept} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {t("approve.keep")} <small>{t("approve.keep.why")}</small>
      </span>
    </label>
  );
}

type Poll = NonNullable<Checkpoint["poll"]>;

/** Who decides here, who has, and how many approvals are missing. */
function Approvers({ poll }: { poll: Poll }) {
  const { t, ago } = useWords();
  const votes = poll.votes ?? [];
  const open = poll.asked.filter((user) => !votes.some((vote) => vote.by === user));
  return (
    <section className="approvers stack">
      <h3 className="label">{t("approve.approvers")}</h3>
      <p>{t("approve.missing", { n: poll.missing, needed: poll.needed })}</p>
      <ul className="stack">
        {votes.map((vote) => (
          <li key={vote.by} data-status={vote.action === "approve" ? "completed" : "rejected"}>
            <b>{vote.by}</b> {t(vote.action === "approve" ? "approve.voted.yes" : "approve.voted.no")}
            <small>
              {" "}
              <Facts
                of={[
                  vote.by_link && t("decision.link"),
                  vote.client && t("decision.client", { client: vote.client }),
                  ago(vote.at),
                ]}
              />
            </small>
          </li>
        ))}
        {open.map((user) => (
          <li key={user}>
            <b>{user}</b> {t("approve.voted.open")}
          </li>
        ))}
        {poll.roles.map((role) => (
          <li key={role}>{t("approve.role", { role })}</li>
        ))}
      </ul>
    </section>
  );
}
