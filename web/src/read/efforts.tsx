import type { Effort, RunState } from "../api/client";
import { nameModel } from "../parts/model-name";
import { useWords } from "../strings";
import { Facts } from "../parts/text/facts";

/** What a run took, in a line; opened, the time, calls, tokens and cost of each phase. */
export function Efforts({ state, effort }: { state: RunState; effort: Record<string, Effort> }) {
  const words = useWords();
  const { t, usd, number, span } = words;
  const rows = state.phases.flatMap(({ id, title }) => {
    const { timing, models } = effort[id] ?? {};
    if (!timing || !models) return [];
    const sum = (name: "calls" | "total_tokens" | "usd") => models.reduce((all, one) => all + one[name], 0);
    return [
      { id, title, seconds: timing.active_seconds, calls: sum("calls"), tokens: sum("total_tokens"), usd: sum("usd") },
    ];
  });
  const total = (name: "seconds" | "calls" | "tokens" | "usd") => rows.reduce((all, row) => all + row[name], 0);
  const most = Math.max(...rows.map((row) => row.usd), 1e-9);
  return (
    <details className="cost">
      <summary>
        <h2 className="label">{t("read.cost")}</h2>{" "}
        <Facts of={[span(total("seconds")), state.offline ? t("run.free") : usd(total("usd"))]} />
      </summary>
      <table className="efforts">
        <thead>
          <tr>
            <th>{t("read.cost.phase")}</th>
            <th>{t("read.cost.time")}</th>
            <th>{t(state.offline ? "read.cost.answers" : "read.cost.calls")}</th>
            {!state.offline && <th>{t("read.cost.usd")}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} title={`${number(row.tokens)} ${t("read.cost.tokens")}`}>
              <td>
                {row.title}
                {!state.offline && <meter min={0} max={most} value={row.usd} aria-hidden />}
              </td>
              <td>{span(row.seconds)}</td>
              <td>{number(row.calls)}</td>
              {!state.offline && <td>{usd(row.usd)}</td>}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td>{t("read.cost.total")}</td>
            <td>{span(total("seconds"))}</td>
            <td>{number(total("calls"))}</td>
            {!state.offline && <td>{usd(total("usd"))}</td>}
          </tr>
        </tfoot>
      </table>
      {state.offline && (
        <small>
          {t("read.cost.offline", { answers: nameModel(state, words), model: state.model, usd: usd(total("usd")) })}
        </small>
      )}
    </details>
  );
}
