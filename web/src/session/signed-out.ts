/** Whether the gateway requires a sign-in, as reported by the first refused call. */

import { useSyncExternalStore } from "react";

import { Problem } from "../api/client";

let isSignedOut = false;
const listeners = new Set<() => void>();

export function setSignedOut(value: boolean) {
  isSignedOut = value;
  for (const listener of listeners) listener();
}

/** Listens to every failure of a query or a change. */
export function noticeRefusal(error: Error) {
  if (error instanceof Problem && error.status === 401) setSignedOut(true);
}

export const useSignedOut = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isSignedOut,
  );
