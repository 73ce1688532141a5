/** One collection: its documents and their states, where to drop more, and how to delete them. */

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";

import {
  deleteCollection,
  deleteDocument,
  getCollection,
  listDocuments,
  putDocument,
  type CollectionDocument,
  Problem,
} from "../api/client";
import { ConfirmDelete } from "../parts/dialog/confirm-delete";
import type { DialogHandle } from "../parts/dialog/dialog";
import { FilePicker, FileProblems, type FileProblem } from "../parts/file-picker";
import { ErrorNotice, Loading, Missing } from "../parts/notices";
import { useTitle } from "../parts/text/title";
import { useWords } from "../strings";
import { isUnread, Progress, titleOf } from "./progress";

const REFRESH_MS = 1_500;
const BUSY = 429;
const PAUSE_MS = 1_000;
const MAX_FAILED = 500;

export function CollectionView({ name }: { name: string }) {
  const { t, say } = useWords();
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: ["collection", name],
    queryFn: () => getCollection(name),
    refetchInterval: ({ state }) => (state.data && isUnread(state.data) ? REFRESH_MS : false),
  });
  const title = found.data ? titleOf(found.data, t) : name;
  useTitle(title);
  const unread = (found.data?.waiting ?? 0) + (found.data?.reading ?? 0);
  const documents = useInfiniteQuery({
    queryKey: ["collection", name, "documents"],
    queryFn: ({ pageParam }) => listDocuments(name, { cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: unread > 0 ? REFRESH_MS : false,
  });
  const failed = useQuery({
    queryKey: ["collection", name, "failed", found.data?.failed],
    queryFn: async () => (await listDocuments(name, { status: "failed", limit: MAX_FAILED })).items,
    enabled: Boolean(found.data?.failed),
    placeholderData: keepPreviousData,
  });
  const reload = () => void queries.invalidateQueries({ queryKey: ["collection", name] });
  useEffect(() => {
    if (unread === 0) void queries.invalidateQueries({ queryKey: ["collection", name, "documents"] });
  }, [unread, name, queries]);
  const listed = documents.data?.pages.flatMap((page) => page.items.filter((one) => one.status !== "failed")) ?? [];
  const draw = (one: CollectionDocument) => (
    <DocumentRow
      key={one.name}
      collection={name}
      document={one}
      isFixed={Boolean(found.data?.is_folder)}
      onGone={reload}
    />
  );
  if (found.error instanceof Problem && found.error.status === 404) {
    return <Missing what="collection" />;
  }
  return (
    <div className="collections list stack">
      <p>
        <Link href="/collections">{t("nav.collections")}</Link>
      </p>
      <h1>{title}</h1>
      {found.error && <ErrorNotice error={found.error} />}
      {found.isPending && <Loading />}
      {found.data && (
        <>
          <p>
            <Progress collection={found.data} />
          </p>
          {found.data.unlisted.map((notice) => (
            <p key={notice.code} className="danger">
              {say(notice)}
            </p>
          ))}
          {found.data.is_folder ? <p>{t("collections.folder")}</p> : <Upload name={name} onAdded={reload} />}
          {found.data.failed > 0 && (
            <section aria-labelledby="failed">
              <h2 id="failed">{t("collections.failed.title")}</h2>
              <ul className="plain">{failed.data?.map(draw)}</ul>
            </section>
          )}
          <ul className="plain">{listed.map(draw)}</ul>
          {documents.hasNextPage && (
            <p>
              <button type="button" onClick={() => void documents.fetchNextPage()}>
                {t("runs.more")}
              </button>
            </p>
          )}
          <DeleteCollection name={name} documents={found.data.documents} />
        </>
      )}
    </div>
  );
}

function DocumentRow(given: {
  collection: string;
  document: CollectionDocument;
  isFixed: boolean;
  onGone: () => void;
}) {
  const { collection, document: one, isFixed, onGone } = given;
  const { t, say } = useWords();
  const gone = useMutation({ mutationFn: () => deleteDocument(collection, one.name), onSuccess: onGone });
  const about = [one.title !== one.name && one.title, one.pages ? t("collections.pages", { n: one.pages }) : ""];
  return (
    <li className="apart ruled" data-status={one.status}>
      <span className="document">
        <b>{one.name}</b>
        <small className={one.failure ? "" : "brief"}>
          {one.failure ? say(one.failure) : about.filter(Boolean).join(", ")}
        </small>
      </span>
      <span className={one.status === "failed" ? "danger" : ""}>{t(`collections.status.${one.status}`)}</span>
      {!isFixed && (
        <button
          type="button"
          className="quiet"
          aria-label={t("collections.remove", { name: one.name })}
          disabled={gone.isPending}
          onClick={() => gone.mutate()}
        >
          ✕
        </button>
      )}
    </li>
  );
}

/** Takes files that are dropped anywhere on the page or picked, one after the other. */
function Upload({ name, onAdded }: { name: string; onAdded: () => void }) {
  const { t } = useWords();
  const [sent, setSent] = useState({ done: 0, n: 0 });
  const [problems, setProblems] = useState<FileProblem[]>([]);
  const upload = useMutation({
    mutationFn: async (files: File[]) => {
      const told: FileProblem[] = [];
      for (const [done, file] of files.entries()) {
        setSent({ done, n: files.length });
        try {
          await putPatiently(name, file);
        } catch (error) {
          told.push({ name: file.name, error: error as Error });
        }
        onAdded();
      }
      setProblems(told);
    },
  });
  return (
    <div>
      <FilePicker
        label={upload.isPending ? t("collections.sending", { done: sent.done + 1, n: sent.n }) : t("collections.add")}
        isBusy={upload.isPending}
        onFiles={upload.mutate}
      />
      <FileProblems problems={problems} />
    </div>
  );
}

/** Send a file; one that must wait its turn is sent again. */
async function putPatiently(collection: string, file: File) {
  for (;;) {
    try {
      return await putDocument(collection, file);
    } catch (error) {
      if ((error as Problem).status !== BUSY) throw error;
      await new Promise((wake) => setTimeout(wake, PAUSE_MS));
    }
  }
}

function DeleteCollection({ name, documents }: { name: string; documents: number }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const question = useRef<DialogHandle>(null);
  async function leave() {
    navigate("/collections");
    queries.removeQueries({ queryKey: ["collection", name] });
    await queries.invalidateQueries({ queryKey: ["collections"] });
  }
  return (
    <>
      <button type="button" className="link danger" onClick={() => question.current?.open()}>
        {t("collections.delete")}
      </button>
      <ConfirmDelete
        handle={question}
        title={t("collections.delete.title", { name })}
        text={t("collections.delete.text", { n: documents })}
        yes={t("collections.delete.yes")}
        onDelete={() => deleteCollection(name)}
        onGone={leave}
      />
    </>
  );
}
