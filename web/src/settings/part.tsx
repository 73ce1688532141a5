import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ErrorNotice, Loading } from "../parts/notices";

interface Given<T> {
  id: string;
  title: string;
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** A part of the settings: its heading is shown at once, and then its content, or the reason why it is empty. */
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
