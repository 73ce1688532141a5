/** Any value of the gateway as something to read: names as labels, lists as lists, claims as sentences. */

import { useWords } from "../../strings";
import { humanize } from "./humanize";
import "./readable.css";

/** What names the thing that it is a part of. */
const HEADINGS = ["title", "name", "heading"];

export function Readable({ value }: { value: unknown }) {
  const { t } = useWords();
  if (value === null || value === undefined || value === "") return null;
  if (Array.isArray(value)) {
    return (
      <ul className="readable">
        {value.map((item: unknown, n) => (
          <li key={n}>
            <Readable value={item} />
          </li>
        ))}
      </ul>
    );
  }
  if (isClaim(value)) return <ClaimText claim={value} />;
  if (typeof value === "object") {
    const heading = HEADINGS.find((name) => typeof (value as Record<string, unknown>)[name] === "string");
    const told = Object.entries(value as Record<string, unknown>).filter(
      ([name, part]) => isTold(part) && name !== heading && !TRACES.test(name),
    );
    return (
      <div className="readable">
        {heading && <strong>{String((value as Record<string, unknown>)[heading])}</strong>}
        {told.length > 0 && (
          <dl className="readable">
            {told.map(([name, part]) => (
              <div key={name}>
                <dt>{humanize(name)}</dt>
                <dd>
                  <Readable value={part} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    );
  }
  return (
    <span className="said">{typeof value === "boolean" ? t(value ? "value.yes" : "value.no") : String(value)}</span>
  );
}

interface Claim {
  text: string;
  citations: { source: number; quote: string }[];
}

const isClaim = (value: unknown): value is Claim =>
  typeof value === "object" &&
  value !== null &&
  "text" in value &&
  "citations" in value &&
  Array.isArray(value.citations);

/** A sentence with the words that it rests on. */
function ClaimText({ claim: { text, citations } }: { claim: Claim }) {
  return (
    <>
      <span className="said">{text}</span>
      {citations
        .filter(({ quote }) => quote !== text)
        .map(({ source, quote }) => (
          <small key={`${source} ${quote}`}>
            “{quote}” [{source}]
          </small>
        ))}
    </>
  );
}

/** Names of internal fields, such as positions and storage keys, which are not shown. */
const TRACES = /^(sources|searches|patches|artifacts|end_reason|verdict|start|end|bytes|chars|\w*_(key|hash|id))$/;

/** Empty values are not shown. */
const isTold = (part: unknown) =>
  part !== null && part !== "" && !(typeof part === "object" && Object.keys(part).length === 0);
