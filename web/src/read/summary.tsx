import { useWords } from "../strings";

/** What a report says in short, below its title. */
export function Summary({ text }: { text: string }) {
  const { t } = useWords();
  return (
    <section className="summary" aria-labelledby="summary">
      <h3 id="summary" className="label">
        {t("read.summary")}
      </h3>
      <p>{text}</p>
    </section>
  );
}
