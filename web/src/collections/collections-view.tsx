/** Collections of documents: made, filled by dropping files, watched while they are read, and deleted. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { Link, useLocation } from "wouter";

import { createCollection, listCollections } from "../api/client";
import { ErrorNotice, Loading } from "../parts/notices";
import { useTitle } from "../parts/text/title";
import { useWords } from "../strings";
import { CollectionView } from "./collection-view";
import "./collections.css";
import { isUnread, Progress, titleOf } from "./progress";

const REFRESH_MS = 1_500;

export default function CollectionsView({ name }: { name: string }) {
  return name ? <CollectionView key={name} name={name} /> : <CollectionList />;
}

function CollectionList() {
  const { t } = useWords();
  useTitle(t("nav.collections"));
  const found = useQuery({
    queryKey: ["collections"],
    queryFn: listCollections,
    refetchInterval: ({ state }) => (state.data?.some(isUnread) ? REFRESH_MS : false),
  });
  return (
    <div className="collections list stack">
      <h1>{t("nav.collections")}</h1>
      <p className="lead">{t("collections.lead")}</p>
      <NewCollection />
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data && found.data.length > 0 && (
        <ul className="plain">
          {found.data.map((one) => (
            <li key={one.name} className="apart ruled">
              <Link href={`/collections/${encodeURIComponent(one.name)}`}>{titleOf(one, t)}</Link>
              <Progress collection={one} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function NewCollection() {
  const { t } = useWords();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const made = useMutation({
    mutationFn: () => createCollection(name.trim()),
    onSuccess(one) {
      void queries.invalidateQueries({ queryKey: ["collections"] });
      navigate(`/collections/${encodeURIComponent(one.name)}`);
    },
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (name.trim()) made.mutate();
  }
  return (
    <form className="row" onSubmit={submit}>
      <label className="field">
        <span>{t("collections.name")}</span>
        <input
          value={name}
          maxLength={80}
          placeholder={t("collections.example")}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <button disabled={!name.trim() || made.isPending}>{t("collections.make")}</button>
      {made.error && <ErrorNotice error={made.error} />}
    </form>
  );
}
