import { useWords, type Key } from "../strings";

export type Status =
  | "pending"
  | "running"
  | "waiting"
  | "paused"
  | "completed"
  | "partial"
  | "failed"
  | "cancelled"
  | "rejected"
  | "skipped";

/** A lamp that shows a status, next to a text with the same meaning. */
export function Lamp({ status }: { status: Status }) {
  return <span className="lamp" data-status={status} aria-hidden />;
}

/** A status as text, which may be replaced by a more specific text. */
export function StatusWord({ status, says }: { status: Status; says?: Key | undefined }) {
  const { t } = useWords();
  return (
    <span className="status" data-status={status}>
      <Lamp status={status} />
      {t(says ?? `status.${status}`)}
    </span>
  );
}
