import { useQuery } from "@tanstack/react-query";
import { Link, useRoute } from "wouter";

import { listRuns } from "../api/client";
import { useWords, type Key } from "../strings";
import { Lamp } from "../parts/lamp";

const WAITING_MS = 15_000;

/** The runs in which a human is asked, newest first. */
export function useWaiting() {
  return useQuery({
    queryKey: ["runs", "waiting"],
    queryFn: () => listRuns({ status: "waiting", limit: 20 }),
    refetchInterval: WAITING_MS,
  });
}

export function Header() {
  const { t } = useWords();
  const waiting = useWaiting().data?.items.length ?? 0;
  return (
    <header className="header">
      <Link href="/" className="brand">
        <Lamp status="completed" />
        <span>{t("app.name")}</span>
      </Link>
      <nav>
        <Tab href="/" name="nav.ask" />
        <Tab href="/runs" name="nav.runs">
          {waiting > 0 && (
            <span className="badge" title={t("nav.waiting", { n: waiting })}>
              <span aria-hidden>{waiting}</span>
              <span className="unseen">{t("nav.waiting", { n: waiting })}</span>
            </span>
          )}
        </Tab>
        <Tab href="/collections" name="nav.collections" />
        <Tab href="/compose" name="nav.compose" />
        <Tab href="/settings" name="nav.settings" />
      </nav>
    </header>
  );
}

/** Where one only reads: a whole new page leads away, which forgets the link. */
export function SharedHeader() {
  const { t } = useWords();
  return (
    <header className="header">
      <a href="/" className="brand">
        <Lamp status="completed" />
        {t("app.name")}
      </a>
    </header>
  );
}

function Tab({ href, name, children }: { href: string; name: Key; children?: React.ReactNode }) {
  const [isHere] = useRoute(href);
  const { t } = useWords();
  return (
    <Link href={href} aria-current={isHere ? "page" : undefined}>
      {t(name)}
      {children}
    </Link>
  );
}
