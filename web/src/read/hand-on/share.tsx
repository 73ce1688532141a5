/** Create and revoke links that open the report without a key. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { createShareLink, listShareLinks, revokeShareLink, type ShareLink } from "../../api/client";
import { Dialog, type DialogHandle } from "../../parts/dialog/dialog";
import { ErrorNotice } from "../../parts/notices";
import { ShownOnce } from "../../parts/shown-once";
import { useWords } from "../../strings";
import { Facts } from "../../parts/text/facts";

const LIVES = ["7", "30", ""] as const;

export function Share({ runId }: { runId: string }) {
  const { t } = useWords();
  const dialog = useRef<DialogHandle>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" aria-label={t("share.open")} onClick={() => (setOpen(true), dialog.current?.open())}>
        {t("share.title")}
      </button>
      <Dialog title={t("share.open")} handle={dialog} onClose={() => setOpen(false)}>
        {isOpen && <Links runId={runId} />}
      </Dialog>
    </>
  );
}

function Links({ runId }: { runId: string }) {
  const { t, ago, date } = useWords();
  const queries = useQueryClient();
  const [days, setDays] = useState<string>(LIVES[0]);
  const [made, setMade] = useState("");
  const links = useQuery({ queryKey: ["share-links", runId], queryFn: () => listShareLinks(runId), staleTime: 0 });
  const reload = () => void queries.invalidateQueries({ queryKey: ["share-links", runId] });
  const create = useMutation({
    mutationFn: () => createShareLink(runId, days ? Number(days) : null),
    onSuccess(link) {
      setMade(location.origin + link.path);
    },
    onSettled: reload,
  });
  const revoke = useMutation({
    mutationFn: (link: string) => revokeShareLink(runId, link),
    onSuccess: () => setMade(""),
    onSettled: reload,
  });
  const isLive = (link: ShareLink) => !link.revoked_at && !(link.expires_at && new Date(link.expires_at) < new Date());
  const live = links.data?.filter(isLive) ?? [];
  const failure = links.error ?? create.error ?? revoke.error;
  return (
    <div className="share stack">
      <p>{t("share.what")}</p>
      {failure && <ErrorNotice error={failure} />}
      <div className="actions">
        <label>
          {t("share.life")}{" "}
          <select value={days} onChange={(event) => setDays(event.target.value)}>
            {LIVES.map((life) => (
              <option key={life} value={life}>
                {life ? t("share.days", { n: Number(life) }) : t("share.ever")}
              </option>
            ))}
          </select>
        </label>
        <button type="button" className="primary" disabled={create.isPending} onClick={() => create.mutate()}>
          {t("share.create")}
        </button>
      </div>
      {made && <ShownOnce says={t("share.once")} secret={made} />}
      <ul className="stack">
        {live.map((link) => (
          <li className="apart" key={link.id}>
            <span>
              <code>{link.prefix}…</code>{" "}
              <small>
                <Facts
                  of={[
                    link.last_used_at
                      ? t("settings.keys.used", { ago: ago(link.last_used_at) })
                      : t("settings.keys.unused"),
                    link.expires_at && t("share.until", { date: date(link.expires_at) }),
                  ]}
                />
              </small>
            </span>
            <button
              type="button"
              className="quiet danger"
              aria-label={t("share.revoke", { link: link.prefix })}
              onClick={() => revoke.mutate(link.id)}
            >
              {t("settings.keys.revoke")}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
