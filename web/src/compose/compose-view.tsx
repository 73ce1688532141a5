/** Composing: the definitions there are, or one of them as a graph that can be changed. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Redirect, useSearch } from "wouter";

import { getDefinition, listDefinitions, listKinds, Problem, type Definition, type Kind } from "../api/client";
import { ErrorNotice, Loading, Missing } from "../parts/notices";
import { useSession } from "../session/session";
import { useWords, type Words } from "../strings";
import "./compose.css";
import { Composer } from "./composer";
import { DefinitionList } from "./definition-list";
import { addMissing } from "./definition/missing";
import { makeId, readId, readTitle, toDraft, type Draft, type DraftPhase, type Kinds } from "./definition/draft";
import { hasShared, nameShared } from "./definition/shared-draft";

const nameKinds = (kinds: Kind[] = [], { say }: Words): Kinds =>
  new Map(
    kinds.map((kind) => {
      const title = say({ code: `kind-${kind.kind}` }, kind.title);
      const description = say({ code: `kind-${kind.kind}-description` }, kind.description);
      return [kind.kind, { ...kind, title, description }];
    }),
  );

export default function ComposeView({ id }: { id: string }) {
  const words = useWords();
  const from = new URLSearchParams(useSearch()).get("from");
  const kinds = useQuery({ queryKey: ["kinds"], queryFn: listKinds, staleTime: Infinity });
  const byName = useMemo(() => nameKinds(kinds.data, words), [kinds.data, words]);
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions });
  const session = useSession();
  const error = kinds.error ?? definitions.error ?? session.error;
  if (error) {
    const retry = () => void Promise.all([kinds.refetch(), definitions.refetch(), session.refetch()]);
    return <ErrorNotice error={error} onRetry={retry} />;
  }
  if (!kinds.data || !definitions.data || !session.data) return <Loading />;
  const user = session.data.user_id ?? "";
  if (id) return <Own key={id} id={id} user={user} kinds={byName} />;
  if (from !== null) return <New key={from} from={from} user={user} kinds={byName} known={definitions.data} />;
  return <DefinitionList definitions={definitions.data} user={user} kinds={byName} />;
}

/** A stored definition. One that is somebody else's is the beginning of one's own. */
function Own({ id, user, kinds }: { id: string; user: string; kinds: Kinds }) {
  const newest = useQuery({
    queryKey: ["definition", id],
    queryFn: () => getDefinition(id),
    refetchInterval: ELSEWHERE_MS,
    refetchOnWindowFocus: "always",
  });
  const isGone = newest.error instanceof Problem && newest.error.status === 404;
  if (isGone && !hasShared(nameShared(user, id))) return <Missing what="definition" />;
  if (newest.error && !isGone && !newest.data) {
    return <ErrorNotice error={newest.error} onRetry={() => void newest.refetch()} />;
  }
  if (!newest.data && !isGone) return <Loading />;
  const found = isGone ? null : (newest.data ?? null);
  if (found && !isOwn(found, user)) {
    return <Redirect to={`/compose?from=${encodeURIComponent(id)}`} replace />;
  }
  return <Composer id={id} user={user} place={nameShared(user, id)} newest={found} begin={EMPTY} kinds={kinds} />;
}

const ELSEWHERE_MS = 10_000;
const EMPTY: Draft = { phases: [] };

const isOwn = (definition: Definition, user: string) => !definition.is_preset && (!user || definition.owner === user);

/** Return a phase with its title in words in place of a code: a copy's titles are its writer's own. */
function nameOwn({ title_code: code, ...phase }: DraftPhase, say: Words["say"]): DraftPhase {
  return typeof code === "string" && code ? { ...phase, title: say({ code }) } : phase;
}

/** A definition that is not saved yet: an empty one, or a copy. */
function New({ from, user, kinds, known }: { from: string; user: string; kinds: Kinds; known: Definition[] }) {
  const { t, say, named } = useWords();
  const source = useQuery({
    queryKey: ["definition", from],
    queryFn: () => getDefinition(from),
    enabled: from !== "",
  });
  const begin = useMemo(() => {
    const taken = known.map((one) => one.id);
    if (!source.data) return { draft: { id: makeId(t("compose.untitled"), taken), ...EMPTY }, added: [] };
    const copied = toDraft(source.data, kinds);
    const own = copied.phases.map((phase) => nameOwn(phase, say));
    const phases = addMissing(own, kinds);
    const copiedIds = new Set(own.map(readId));
    const added = phases.filter((phase) => !copiedIds.has(readId(phase))).map((phase) => readTitle(phase, kinds));
    const title = t("compose.copy.of", { title: named(source.data) });
    const { description, ...others } = copied;
    const about = source.data.consent ? {} : { description }; // it says that starting a run is the consent
    return { draft: { ...others, ...about, phases, id: makeId(title, taken), title }, added };
    // oxlint-disable-next-line react/exhaustive-deps -- as it was opened, whatever is saved meanwhile
  }, [source.data, kinds]);
  if (source.error) {
    const isGone = source.error instanceof Problem && source.error.status === 404;
    return isGone ? (
      <Missing what="definition" />
    ) : (
      <ErrorNotice error={source.error} onRetry={() => void source.refetch()} />
    );
  }
  if (from && !source.data) return <Loading />;
  return (
    <Composer
      id=""
      user={user}
      place={nameShared(user, "", from)}
      newest={null}
      begin={begin.draft}
      added={begin.added}
      kinds={kinds}
      known={known}
    />
  );
}
