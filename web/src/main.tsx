import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { isPassing } from "./api/client";
import { App } from "./app";
import { followOtherTabs } from "./session/belongings";
import { noticeRefusal } from "./session/signed-out";
import "./style/index.css";

/** Retry while the gateway restarts; do not retry refusals. */
function mayRetry(count: number, error: Error): boolean {
  return isPassing(error) && count < 4;
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  mutationCache: new MutationCache({ onError: noticeRefusal }),
  defaultOptions: {
    queries: { retry: mayRetry, retryDelay: (n) => 500 * 2 ** n, staleTime: 2_000, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

followOtherTabs();

const place = document.getElementById("page");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
