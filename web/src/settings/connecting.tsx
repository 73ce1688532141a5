import { useMutation, useQuery } from "@tanstack/react-query";

import { getMetadata, testProvider, type Metadata, type ProviderAnswer, type ProviderKind } from "../api/client";
import { CopyLine } from "../parts/copy-button";
import { ErrorNotice } from "../parts/notices";
import { useWords, type Key } from "../strings";
import { Part } from "./part";

const PROVIDERS: ProviderKind[] = ["model", "search"];

/** Below this, what a test cost is shown as less than this. */
const LEAST_USD = 0.0001;

/** Where a key is set: a line per provider. */
const LINES: Record<string, Key> = { model: "settings.connect.model.line", search: "settings.connect.search.line" };

/** The way from the stand-in to a model and the web: of each provider what is set, and the button that tests it. */
export function Connecting() {
  const { t } = useWords();
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata });
  return (
    <Part id="connecting" title={t("settings.connect")} query={metadata}>
      {({ offline, search, searched, tool_servers: servers = [] }) => (
        <>
          {offline ? <p>{t("settings.connect.where")}</p> : <Used search={search} searched={searched} />}
          <ul className="providers stack">
            {PROVIDERS.map((provider) => (
              <Provider key={provider} provider={provider} isOffline={offline} />
            ))}
            {servers.map((server) => (
              <Provider key={`tools ${server}`} provider="tools" server={server} isOffline={false} />
            ))}
          </ul>
          {offline && (
            <>
              <p>{t("settings.connect.start")}</p>
              <CopyLine text={t("settings.connect.command")} />
              <p className="muted">{t("settings.connect.then")}</p>
            </>
          )}
          <p className="muted">{t(offline ? "settings.test.what.offline" : "settings.test.what")}</p>
        </>
      )}
    </Part>
  );
}

/** What is searched, and how one tries it without the web. */
function Used({ search, searched }: Pick<Metadata, "search" | "searched">) {
  const { t, say } = useWords();
  if (searched) return <p>{t("settings.search.instead", { place: say(searched) })}</p>;
  const services = search.usual?.map((name) => say({ code: `service-${name}` })) ?? [];
  return (
    services.length > 0 && (
      <p>
        {t("settings.search.used", { names: services.join(", ") })}{" "}
        <span className="muted">
          {t("settings.search.sample")} <code>{t("settings.search.sample.command")}</code>
        </span>
      </p>
    )
  );
}

/** One provider: what is set for it where none is, the button that asks it, and what it answered. */
function Provider({
  provider,
  server = "",
  isOffline,
}: {
  provider: ProviderKind;
  server?: string;
  isOffline: boolean;
}) {
  const { t } = useWords();
  const line = isOffline && LINES[provider];
  const test = useMutation({ mutationFn: () => testProvider(provider, server) });
  return (
    <li className="stack">
      <div className="apart">
        <b>{t(`settings.test.${provider}`, { server })}</b>
        <button
          type="button"
          aria-label={t(`settings.test.one.${provider}`, { server })}
          disabled={test.isPending}
          onClick={() => test.mutate()}
        >
          {t(test.isPending ? "settings.test.asking" : "settings.test.one")}
        </button>
      </div>
      {line && (
        <>
          <p>{t(provider === "model" ? "settings.connect.model" : "settings.connect.search")}</p>
          <CopyLine text={t(line)} />
        </>
      )}
      {test.data && !test.isPending && <Answer answer={test.data} isOffline={isOffline} />}
      {test.error && <ErrorNotice error={test.error} />}
    </li>
  );
}

function Answer({ answer, isOffline }: { answer: ProviderAnswer; isOffline: boolean }) {
  const { t, say, usd, number } = useWords();
  const { state, host, told } = answer;
  const seconds = number(answer.seconds);
  const works = state === "works";
  const key = works && isOffline ? "settings.test.works.offline" : (`settings.test.${state}` as const);
  const cost = answer.usd >= LEAST_USD ? usd(answer.usd) : t("settings.test.less", { usd: usd(LEAST_USD) });
  return (
    <div className="notice" data-kind={works ? "info" : "error"} role="status">
      <p>{t(key, { host, seconds, usd: answer.usd > 0 ? cost : undefined })}</p>
      {told && <small>{t("settings.test.said", { told: say(told) })}</small>}
    </div>
  );
}
