import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useRoute } from "wouter";

import { listRuns } from "../api/client";
import icon from "../icon.svg";
import waitingIcon from "../icon-waiting.svg";
import { useWords, type Key } from "../strings";
import { Lamp } from "../parts/lamp";
import { useTitleCount } from "../parts/text/title";

const WAITING_MS = 15_000;

/** The runs in which a human is asked, newest first. */
export function useWaiting() {
  return useQuery({
    queryKey: ["runs", "waiting"],
    queryFn: () => listRuns({ status: "waiting", limit: 20 }),
    refetchInterval: WAITING_MS,
    refetchIntervalInBackground: true, // the tab's title counts them
  });
}

export function Header() {
  const { t } = useWords();
  const waiting = useWaiting().data?.items.length ?? 0;
  useTitleCount(waiting);
  useIcon(waiting > 0);
  return (
    <header className="header">
      <Link href="/" className="brand">
        <Lamp status="completed" />
        <span>{t("app.name")}</span>
      </Link>
      <nav>
        <Tab href="/" name="nav.ask" />
        <Tab href="/inbox" at="/inbox/:id?" name="nav.inbox">
          {waiting > 0 && (
            <span className="badge" title={t("nav.waiting", { n: waiting })}>
              <span aria-hidden>{waiting}</span>
              <span className="unseen">{t("nav.waiting", { n: waiting })}</span>
            </span>
          )}
        </Tab>
        <Tab href="/runs" name="nav.runs" />
        <button type="button" className="quiet menu" popoverTarget="further-tabs">
          {t("nav.more")}
        </button>
        <div id="further-tabs" popover="auto" onClick={(event) => event.currentTarget.hidePopover()}>
          <Tab href="/schedules" name="nav.schedules" />
          <Tab href="/collections" name="nav.collections" />
          <Tab href="/compose" name="nav.compose" />
          <Tab href="/settings" name="nav.settings" />
        </div>
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

/** Shows in the tab's icon that something waits. */
function useIcon(isWaiting: boolean) {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link) link.href = isWaiting ? waitingIcon : icon;
  }, [isWaiting]);
}

interface TabGiven {
  href: string;
  /** Where one is in it; its own address where nothing is below it. */
  at?: string;
  name: Key;
  children?: React.ReactNode;
}

function Tab({ href, at = href, name, children }: TabGiven) {
  const [isHere] = useRoute(at);
  const { t } = useWords();
  return (
    <Link href={href} aria-current={isHere ? "page" : undefined}>
      {t(name)}
      {children}
    </Link>
  );
}
