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

/** The status of a run that has ended without any finding, which is no success to a reader. */
export const EndWord = ({ status, foundNothing }: { status: Status; foundNothing: boolean | undefined }) =>
  foundNothing ? <StatusWord status="partial" says="status.nothing" /> : <StatusWord status={status} />;

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
