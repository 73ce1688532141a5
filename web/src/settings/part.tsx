import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ErrorNotice, Loading } from "../parts/notices";

interface Given<T> {
  id: string;
  title: string;
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** A part of the settings: its heading stands from the start, and below it what it waits for, or why it has nothing. */
export function Part<T>({ id, title, query, children }: Given<T>) {
  return (
    <section className="stack ruled" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {query.data !== undefined ? (
        children(query.data)
      ) : query.error ? (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </section>
  );
}
