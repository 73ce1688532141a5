import type { Definition } from "../api/client";
import { useWords, type Key } from "../strings";

/** The most common kinds of research, shown as cards; the others are listed below. */
export const KINDS = ["web_answer", "deep_research", "market_analysis", "investment_analysis"] as const;
export type Kind = (typeof KINDS)[number];

export const isKind = (id: string): id is Kind => (KINDS as readonly string[]).includes(id);

interface Example {
  query: Key;
  inputs?: Record<string, string>;
}

/** Questions to begin with, where no recorded run is of the kind. */
export const EXAMPLES: Record<Kind, Example[]> = {
  web_answer: [{ query: "ask.example.answer.1" }, { query: "ask.example.answer.2" }],
  deep_research: [{ query: "ask.example.1" }, { query: "ask.example.2" }, { query: "ask.example.3" }],
  market_analysis: [{ query: "ask.example.market.1" }, { query: "ask.example.market.2" }],
  investment_analysis: [
    { query: "ask.example.company.1", inputs: { ticker: "AAPL" } },
    { query: "ask.example.company.2", inputs: { ticker: "MSFT" } },
  ],
};

interface Given {
  definitions: Definition[];
  chosen: string;
  onChoose: (id: string) => void;
}

/** The kinds of research in words: the first thing that one chooses. */
export function Kinds({ definitions, chosen, onChoose }: Given) {
  const { t } = useWords();
  const there = KINDS.filter((kind) => definitions.some(({ id }) => id === kind));
  return (
    <fieldset className="research-kinds">
      <legend className="unseen">{t("ask.kinds")}</legend>
      {there.map((kind) => (
        <label key={kind} className="research-kind radio-card">
          <input
            type="radio"
            name="definition"
            value={kind}
            checked={kind === chosen}
            aria-describedby={`kind-${kind}`}
            aria-label={t(`ask.kind.${kind}`)}
            onChange={() => onChoose(kind)}
          />
          <b>{t(`ask.kind.${kind}`)}</b>
          <small id={`kind-${kind}`}>{t(`ask.kind.${kind}.does`)}</small>
        </label>
      ))}
      {isKind(chosen) && (
        <p className="chosen-kind" aria-hidden>
          {t(`ask.kind.${chosen}.does`)}
        </p>
      )}
    </fieldset>
  );
}
