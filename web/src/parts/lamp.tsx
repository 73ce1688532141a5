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

export function StatusWord({ status, of = "run" }: { status: Status; of?: "run" | "phase" }) {
  const { t } = useWords();
  const key: Key = of === "phase" && status === "waiting" ? "status.phase.waiting" : `status.${status}`;
  return (
    <span className="status" data-status={status}>
      <Lamp status={status} />
      {t(key)}
    </span>
  );
}
