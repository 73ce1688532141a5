import { useMutation } from "@tanstack/react-query";
import type { RefObject } from "react";

import { useWords } from "../../strings";
import { Dialog, type DialogHandle } from "./dialog";
import { ErrorNotice } from "../notices";

/** The question before something is deleted for good. */
export function ConfirmDelete(given: {
  handle: RefObject<DialogHandle | null>;
  title: string;
  text: string;
  yes: string;
  onDelete: () => Promise<unknown>;
  onGone: () => Promise<unknown>;
}) {
  const { t } = useWords();
  const gone = useMutation({ mutationFn: given.onDelete, onSuccess: given.onGone });
  return (
    <Dialog title={given.title} handle={given.handle}>
      <p>{given.text}</p>
      {gone.error && <ErrorNotice error={gone.error} />}
      <div className="actions">
        <button type="button" className="danger" disabled={gone.isPending} onClick={() => gone.mutate()}>
          {given.yes}
        </button>
        <button type="button" onClick={() => given.handle.current?.close()}>
          {t("state.cancel")}
        </button>
      </div>
    </Dialog>
  );
}
