import { CopyButton } from "./copy-button";

/** A secret that the gateway shows once, with a button that copies it. */
export function ShownOnce({ says, secret }: { says: string; secret: string }) {
  return (
    <div className="notice" data-kind="wait" role="status">
      <p>{says}</p>
      <code className="token">{secret}</code> <CopyButton text={secret} />
    </div>
  );
}
