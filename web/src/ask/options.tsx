import { lazy, Suspense, useState, type ComponentProps } from "react";

import { useWords, withWords } from "../strings";

/** Few open them: the forms that they are drawn by come with them. */
const OptionFields = lazy(() => withWords(import("./option-fields")));

/** What most people leave alone. */
export function Options(given: ComponentProps<typeof OptionFields>) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="options ruled" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("ask.options")}</summary>
      <Suspense>{isOpen && <OptionFields {...given} />}</Suspense>
    </details>
  );
}
