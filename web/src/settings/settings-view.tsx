/** What is in force: who I am, keys, models and prices, health, and the way to Temporal. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import {
  createKey,
  getMetadata,
  getReadiness,
  listDefinitions,
  listKeys,
  listSpend,
  revokeKey,
  signOut,
  type Price,
  type Spend,
} from "../api/client";
import { Lamp } from "../parts/lamp";
import { ErrorNotice, Loading } from "../parts/notices";
import { PreferenceFields } from "../parts/preference-fields";
import { ShownOnce } from "../parts/shown-once";
import { useTitle } from "../parts/text/title";
import { enterAs } from "../session/belongings";
import { useSession } from "../session/session";
import { setSignedOut } from "../session/signed-out";
import { useWords } from "../strings";
import { Facts } from "../parts/text/facts";
import { Budgets } from "./budgets";
import { Channels } from "./channels";
import { Connecting } from "./connecting";
import { Part } from "./part";
import "./settings.css";
import { Startups } from "./startup-companies";

const HEALTH_MS = 10_000;
const PARTS = ["gateway", "postgres", "temporal", "worker"] as const;
type HealthPart = (typeof PARTS)[number];

export default function SettingsView() {
  const { t } = useWords();
  useTitle(t("nav.settings"));
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata });
  const isOffline = metadata.data?.offline;
  return (
    <div className="settings list stack">
      <h1>{t("nav.settings")}</h1>
      {metadata.isPending && <Loading />}
      {isOffline && <Connecting /> /* nothing else here matters as much until then */}
      <Page />
      <Account />
      <Channels />
      <Models />
      {!isOffline && <Connecting />}
      <Startups />
      <Spent />
      <Budgets />
      <Health />
    </div>
  );
}

/** The language and the appearance of the page, and in which language reports are written. */
function Page() {
  const { t } = useWords();
  return (
    <section className="stack ruled" aria-labelledby="page-looks">
      <h2 id="page-looks">{t("settings.page")}</h2>
      <div className="grid">
        <PreferenceFields className="field" />
      </div>
      <p className="muted">{t("settings.page.reports")}</p>
    </section>
  );
}

function Account() {
  const { t } = useWords();
  const session = useSession();
  const leave = useMutation({ mutationFn: signOut, onSuccess: goOut });
  function goOut() {
    enterAs("");
    setSignedOut(true);
  }
  if (!session.data) return session.error ? <ErrorNotice error={session.error} /> : <Loading />;
  const { user_id, role } = session.data;
  return (
    <section className="stack ruled" aria-labelledby="account">
      <h2 id="account">{t("settings.account")}</h2>
      {user_id ? (
        <>
          <p>
            {t(role ? "settings.account.user.role" : "settings.account.user", { user: user_id, role })}{" "}
            <button type="button" onClick={() => leave.mutate()}>
              {t("session.leave")}
            </button>
          </p>
          <Keys />
        </>
      ) : (
        <p>
          {t("settings.account.open")} <code>{t("settings.account.command")}</code>
        </p>
      )}
    </section>
  );
}

function Keys() {
  const { t, ago, date } = useWords();
  const queries = useQueryClient();
  const [made, setMade] = useState("");
  const keys = useQuery({ queryKey: ["keys"], queryFn: listKeys });
  const reload = () => void queries.invalidateQueries({ queryKey: ["keys"] });
  const create = useMutation({
    mutationFn: createKey,
    onSuccess: (key) => setMade(key.token),
    onSettled: reload,
  });
  const revoke = useMutation({ mutationFn: revokeKey, onSettled: reload });
  const refused = create.error ?? revoke.error;
  return (
    <>
      <h3>{t("settings.keys")}</h3>
      {keys.isPending && <Loading />}
      <ul className="keys stack">
        {keys.data?.map((key) => (
          <li className="apart" key={key.id}>
            <span>
              <code>{key.prefix}…</code>
              <small title={date(key.created_at)}>
                <Facts
                  of={[
                    key.last_used_at
                      ? t("settings.keys.used", { ago: ago(key.last_used_at) })
                      : t("settings.keys.unused"),
                    key.scope !== "decide" && t(`settings.keys.${key.scope}`),
                    key.expires_at && !key.revoked_at && t("share.until", { date: date(key.expires_at) }),
                  ]}
                />
              </small>
            </span>
            {key.revoked_at ? (
              <small>{t("settings.keys.revoked")}</small>
            ) : (
              <button
                type="button"
                className="quiet danger"
                aria-label={t("settings.keys.revoke.one", { key: key.prefix })}
                onClick={() => revoke.mutate(key.id)}
              >
                {t("settings.keys.revoke")}
              </button>
            )}
          </li>
        ))}
      </ul>
      {made && <ShownOnce says={t("settings.keys.once")} secret={made} />}
      {keys.error && <ErrorNotice error={keys.error} onRetry={() => void keys.refetch()} />}
      {refused && <ErrorNotice error={refused} />}
      <div className="row">
        <button type="button" disabled={create.isPending} onClick={() => create.mutate(null)}>
          {t("settings.keys.create")}
        </button>
        <button type="button" className="quiet" disabled={create.isPending} onClick={() => create.mutate("ask")}>
          {t("settings.keys.create.ask")}
        </button>
      </div>
    </>
  );
}

function Models() {
  const { t, usd } = useWords();
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata });
  return (
    <Part id="models" title={t("settings.models")} query={metadata}>
      {({ model, roles = {}, prices, cap_usd, offline }) => {
        const used = new Set([model, ...Object.values(roles)]);
        const all = Object.entries(prices);
        const others = all.filter(([id]) => !used.has(id));
        return (
          <>
            <p>{t(offline ? "settings.models.offline" : "settings.models.live", { model, cap: usd(cap_usd) })}</p>
            <Prices prices={all.filter(([id]) => used.has(id))} chosen={model} />
            {others.length > 0 && (
              <details>
                <summary>{t("settings.models.others", { n: others.length })}</summary>
                <Prices prices={others} chosen={model} />
              </details>
            )}
          </>
        );
      }}
    </Part>
  );
}

/** What tokens of some models cost, and those of long prompts. */
function Prices({ prices, chosen }: { prices: [string, Price][]; chosen: string }) {
  const { t, usd, number } = useWords();
  return (
    <div className="stack">
      <table>
        <thead>
          <tr>
            <th>{t("settings.models.model")}</th>
            <th>{t("settings.models.input")}</th>
            <th>{t("settings.models.output")}</th>
          </tr>
        </thead>
        <tbody>
          {prices.map(([id, price]) => (
            <tr key={id} data-chosen={id === chosen || undefined}>
              <td>{id}</td>
              <td>{usd(price.input_usd)}</td>
              <td>{usd(price.output_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <small>{t("settings.models.unit")}</small>
      {prices.map(
        ([id, { longer }]) =>
          longer && (
            <small key={id}>
              {t("settings.models.longer", {
                model: id,
                n: number(longer.above_tokens),
                input: usd(longer.input_usd),
                output: usd(longer.output_usd),
              })}
            </small>
          ),
      )}
    </div>
  );
}

/** Spending of the last thirty days by definition, with the stand-in's shown separately. */
function Spent() {
  const { t } = useWords();
  const spend = useQuery({ queryKey: ["spend"], queryFn: listSpend });
  return (
    <Part id="spent" title={t("settings.spent")} query={spend}>
      {(found) => <SpentTable spent={found} />}
    </Part>
  );
}

function SpentTable({ spent }: { spent: Spend[] }) {
  const { t, usd, number, named } = useWords();
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions });
  const titles = new Map(definitions.data?.map((one) => [one.id, named(one)]));
  const rows = new Map<string, { runs: number; billed: number }>();
  let [billed, spared] = [0, 0];
  for (const { definition_id: id, runs, offline, usd: price } of spent) {
    const row = rows.get(id) ?? { runs: 0, billed: 0 };
    rows.set(id, { runs: row.runs + runs, billed: row.billed + (offline ? 0 : price) });
    if (offline) spared += price;
    else billed += price;
  }
  return (
    <>
      <p>
        {billed > 0 ? <b>{usd(billed)}</b> : t("settings.spent.none")}{" "}
        {spared > 0 && t("settings.spent.offline", { usd: usd(spared) })}
      </p>
      {rows.size > 0 && (
        <table>
          <thead>
            <tr>
              <th>{t("runs.definition")}</th>
              <th>{t("settings.spent.runs")}</th>
              <th>{t("read.cost.usd")}</th>
            </tr>
          </thead>
          <tbody>
            {[...rows].map(([id, row]) => (
              <tr key={id}>
                <td>{id ? (titles.get(id) ?? id) : t("settings.spent.tests")}</td>
                <td>{number(row.runs)}</td>
                <td>{row.billed > 0 ? usd(row.billed) : t("run.free")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Health() {
  const { t } = useWords();
  const health = useQuery({
    queryKey: ["health"],
    queryFn: getReadiness,
    refetchInterval: HEALTH_MS,
    retry: false,
  });
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata });
  const said: Partial<Record<HealthPart, string>> = health.data
    ? { gateway: "ok", ...health.data }
    : { ...(health.error && { gateway: t("problem.unreachable") }) };
  return (
    <section className="stack ruled" aria-labelledby="health">
      <h2 id="health">{t("settings.health")}</h2>
      <ul className="stack">
        {PARTS.map(
          (part) =>
            said[part] && (
              <li className="row" key={part}>
                <Lamp status={said[part] === "ok" ? "completed" : "failed"} />
                <b>{t(`settings.health.${part}`)}</b> {said[part] === "ok" ? t("settings.health.ok") : said[part]}
              </li>
            ),
        )}
      </ul>
      {metadata.data?.temporal_ui && (
        <p>
          <a href={`${metadata.data.temporal_ui}/workflows`} target="_blank" rel="noreferrer">
            {t("settings.temporal")}
          </a>
        </p>
      )}
    </section>
  );
}
