import type { Checkpoint } from "../api/client";
import { useWords } from "../strings";

type Poll = NonNullable<Checkpoint["poll"]>;

/** Who decides here, who has, and how many approvals are missing. */
export function Approvers({ poll }: { poll: Poll }) {
  const { t, ago } = useWords();
  const votes = poll.votes ?? [];
  const open = poll.asked.filter((user) => !votes.some((vote) => vote.by === user));
  return (
    <section className="approvers stack">
      <h3 className="label">{t("approve.approvers")}</h3>
      <p>{t("approve.missing", { n: poll.missing, needed: poll.needed })}</p>
      <ul className="stack">
        {votes.map((vote) => (
          <li key={vote.by} data-status={vote.action === "approve" ? "completed" : "rejected"}>
            <b>{vote.by}</b> {t(vote.action === "approve" ? "approve.voted.yes" : "approve.voted.no")}
            <small> {ago(vote.at)}</small>
          </li>
        ))}
        {open.map((user) => (
          <li key={user}>
            <b>{user}</b> {t("approve.voted.open")}
          </li>
        ))}
        {poll.roles.map((role) => (
          <li key={role}>{t("approve.role", { role })}</li>
        ))}
      </ul>
    </section>
  );
}
