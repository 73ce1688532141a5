/** The frame around every view: where one is, and what waits. */

import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { Route, Switch, useLocation, useRoute } from "wouter";

import { AskView } from "./ask/ask-view";
import { ErrorBoundary } from "./frame/error-boundary";
import { Footer } from "./frame/footer";
import { Header, SharedHeader, useWaiting } from "./frame/header";
import { listKeptDecisions } from "./inbox/undoable-decision-storage";
import { ErrorNotice, Loading, Missing, OfflineNotice } from "./parts/notices";
import { useKeepPressedInPlace } from "./frame/keep-pressed-in-place";
import { withReadingFont } from "./parts/text/reading-font";
import { useScrollTop } from "./frame/scroll-top";
import { useSession } from "./session/session";
import { setSignedOut, useSignedOut } from "./session/signed-out";
import { PreferencesContext, usePreferences } from "./preferences";
import { createWords, loadWords, withWords, WordsContext, type Language, type Words } from "./strings";

const HistoryView = lazy(() => withWords(import("./history/history-view")));
const loadRun = () => withReadingFont(withWords(import("./run/run-views")));
const RunViews = lazy(loadRun);
const InboxView = lazy(() => withReadingFont(withWords(import("./inbox/inbox-view"))));
const CompareView = lazy(() => withReadingFont(withWords(import("./compare/compare-view"))));
const Notify = lazy(() => import("./frame/notify")); // its words are among the first
const KeptDecision = lazy(() => withWords(import("./inbox/unsent-decision")));
const CollectionsView = lazy(() => withWords(import("./collections/collections-view")));
const SchedulesView = lazy(() => withWords(import("./schedules/schedules-view")));
const SettingsView = lazy(() => withWords(import("./settings/settings-view")));
const ComposeView = lazy(() => withWords(import("./compose/compose-view")));
const SharedView = lazy(() => withReadingFont(withWords(import("./shared/shared-view"))));
const SignIn = lazy(() => withWords(import("./session/sign-in")));

/** The view of a run loads while the run is started. */
const prefetchRun = () => void loadRun().catch(() => undefined); // it is loaded again, and a failure told, when it is drawn

export function App() {
  useScrollTop();
  useKeepPressedInPlace();
  const preferences = usePreferences();
  const words = useChosenWords(preferences.language);
  const isSignedOut = useSignedOut();
  const queries = useQueryClient();
  const [, params] = useRoute("/shared/:id");
  const shared = params?.id;
  const [place] = useLocation();
  function enter() {
    void queries.resetQueries();
    setSignedOut(false);
  }
  if (!words) return null;
  return (
    <WordsContext value={words}>
      <PreferencesContext value={preferences}>
        <a className="skip" href="#content">
          {words.t("app.skip")}
        </a>
        {shared ? <SharedHeader /> : <Header />}
        <OfflineNotice />
        <main id="content" tabIndex={-1}>
          <ErrorBoundary place={place}>
            <Suspense fallback={<Loading />}>
              {shared ? <SharedView runId={shared} /> : isSignedOut ? <SignIn onDone={enter} /> : <Entered />}
            </Suspense>
          </ErrorBoundary>
        </main>
        <Footer />
      </PreferencesContext>
    </WordsContext>
  );
}

/** The current user's views: none starts with another user's input. */
function Entered() {
  const session = useSession();
  const waiting = useWaiting().data?.items ?? [];
  const [place] = useLocation();
  const [hasKept, setHasKept] = useState(() => listKeptDecisions().length > 0);
  if (!hasKept && !place.startsWith("/inbox") && listKeptDecisions().length > 0) setHasKept(true); // the inbox shows its own
  if (session.data) {
    return (
      <>
        <Suspense>{waiting.length > 0 && <Notify waiting={waiting} />}</Suspense>
        <Suspense>{hasKept && <KeptDecision />}</Suspense>
        <Views key={session.data.user_id} />
      </>
    );
  }
  return session.error ? <ErrorNotice error={session.error} onRetry={() => void session.refetch()} /> : <Loading />;
}

function Views() {
  return (
    <Switch>
      <Route path="/">
        <AskView onAsk={prefetchRun} />
      </Route>
      <Route path="/inbox/:id?">{({ id }) => <InboxView id={id ?? ""} />}</Route>
      <Route path="/runs">
        <HistoryView />
      </Route>
      <Route path="/runs/:id/*?">{(at) => <RunViews key={at.id} id={at.id} path={at["*"]} />}</Route>
      <Route path="/compare/:a/:b">{({ a, b }) => <CompareView a={a} b={b} />}</Route>
      <Route path="/compose/:id?">{({ id }) => <ComposeView id={id ?? ""} />}</Route>
      <Route path="/collections/:name?">
        {({ name }) => <CollectionsView name={name ? decodeURIComponent(name) : ""} />}
      </Route>
      <Route path="/schedules">
        <SchedulesView />
      </Route>
      <Route path="/settings">
        <SettingsView />
      </Route>
      <Route>
        <Missing />
      </Route>
    </Switch>
  );
}

/** The words of a language, or until they are here those before; null: none are here yet. */
function useChosenWords(language: Language): Words | null {
  const [words, setWords] = useState(() => (language === "en" ? createWords("en") : null));
  useEffect(() => {
    let isWanted = true;
    const show = (found: Words) => isWanted && setWords(found);
    loadWords(language).then(show, () => show(createWords("en")));
    return () => {
      isWanted = false;
    };
  }, [language]);
  return words;
}
