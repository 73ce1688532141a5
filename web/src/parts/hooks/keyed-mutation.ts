import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { useState } from "react";

import { isPassing, KEYED } from "../../api/client";

/** The idempotency key of what is about to be sent. */
export class AttemptKey {
  value = crypto.randomUUID();

  renew = () => {
    this.value = crypto.randomUUID();
  };

  /** An answered refusal ends the attempt; without an answer the gateway may have taken it, so its key stays. */
  endAttempt = (error: Error) => {
    if (!isPassing(error)) this.renew();
  };
}

interface Given<Data, Sent> {
  send: (key: string, sent: Sent) => Promise<Data>;
  onSuccess: (data: Data, sent: Sent) => unknown;
  onSettled?: () => unknown;
}

/** A mutation that a key keeps from being done twice, and a function that begins another attempt. */
export function useKeyedMutation<Data, Sent = void>({
  send,
  ...options
}: Given<Data, Sent>): [UseMutationResult<Data, Error, Sent>, () => void] {
  const [key] = useState(() => new AttemptKey());
  const mutation = useMutation({
    ...KEYED,
    ...options,
    mutationFn: (sent: Sent) => send(key.value, sent),
    onError: key.endAttempt,
  });
  return [mutation, key.renew];
}
