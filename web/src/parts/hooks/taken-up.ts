import { useState } from "react";

/**
 * Whether what was sent is accepted and not yet shown in what it changes, so that a second press would ask for it again;
 * and a function that says that it was accepted.
 */
export function useTakenUp(shown: object): [isAwaited: boolean, setAccepted: () => void] {
  const [accepted, setAccepted] = useState<{ shown: object } | null>(null);
  return [accepted?.shown === shown, () => setAccepted({ shown })];
}
