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

/** A light that says how something stands; words beside it say the same. */
export function Lamp({ status }: { status: Status }) {
  return <span className="lamp" data-status={status} aria-hidden />;
}

/** How something stands, in other words where there are better ones. */
export function StatusWord({ status, says }: { status: Status; says?: Key | undefined }) {
  const { t } = useWords();
  return (
    <span className="status" data-status={status}>
      <Lamp status={status} />
      {t(says ?? `status.${status}`)}
    </span>
  );
}
