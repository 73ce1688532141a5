/** Schedules: approved runs that are repeated, what comes next, and what each run changed. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearch } from "wouter";

import { listSchedules } from "../api/client";
import { ErrorNotice, Loading, Notice } from "../parts/notices";
import { useTitle } from "../parts/text/title";
import { useWords } from "../strings";
import { ScheduleCard } from "./schedule-card";
import { ScheduleForm } from "./schedule-form";
import "./schedules.css";

export default function SchedulesView() {
  const { t } = useWords();
  useTitle(t("schedules.title"));
  const from = new URLSearchParams(useSearch()).get("run") ?? "";
  const [isMaking, setMaking] = useState(from !== "");
  const [isMade, setMade] = useState(false);
  const found = useQuery({ queryKey: ["schedules"], queryFn: listSchedules });
  function finish() {
    setMaking(false);
    setMade(true);
  }
  return (
    <div className="schedules list stack">
      <h1>{t("schedules.title")}</h1>
      <p className="lead">{t("schedules.lead")}</p>
      {isMaking ? (
        <ScheduleForm from={from} onMade={finish} onLeave={() => setMaking(false)} />
      ) : (
        <p>
          <button type="button" className="primary" onClick={() => setMaking(true)}>
            {t("schedules.new")}
          </button>
        </p>
      )}
      {isMade && <Notice onClose={() => setMade(false)}>{t("schedules.made")}</Notice>}
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data?.length === 0 && !isMaking && (
        <div className="empty">
          <p>{t("schedules.empty")}</p>
          <Link href="/" className="button">
            {t("state.home")}
          </Link>
        </div>
      )}
      <ul className="plain stack">
        {found.data?.map((kept) => (
          <ScheduleCard key={kept.id} kept={kept} />
        ))}
      </ul>
    </div>
  );
}
