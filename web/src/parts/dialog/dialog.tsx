import { useId, useImperativeHandle, useRef, type ReactNode, type RefObject } from "react";

import { useWords } from "../../strings";
import { putCaretAtEnd } from "../text/caret";
import "./dialog.css";

export interface DialogHandle {
  open: () => void;
  close: () => void;
}

interface Given {
  title: string;
  handle: RefObject<DialogHandle | null>;
  onClose?: () => void;
  children: ReactNode;
}

/** The browser's own dialog: it keeps the focus, which begins where one writes, and Escape closes it. */
export function Dialog({ title, handle, onClose, children }: Given) {
  const { t } = useWords();
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useImperativeHandle(handle, () => ({
    open() {
      element.current?.showModal();
      const boxes = [...(element.current?.querySelectorAll("textarea") ?? [])];
      boxes.forEach(putCaretAtEnd);
      boxes.find((box) => box.checkVisibility())?.focus();
    },
    close: () => element.current?.close(),
  }));
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <div className="apart">
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" aria-label={t("state.close")} onClick={() => element.current?.close()}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}
