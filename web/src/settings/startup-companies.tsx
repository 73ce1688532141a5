import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type SubmitEvent } from "react";

import { deleteStartup, listStartups, replaceStartup, type Startup } from "../api/client";
import { ConfirmDelete } from "../parts/dialog/confirm-delete";
import { Dialog, type DialogHandle } from "../parts/dialog/dialog";
import { ErrorNotice } from "../parts/notices";
import { useWords } from "../strings";
import { Part } from "./part";

/** What of a startup is text, in the order in which it is read. */
const FIELDS = ["name", "description", "industry", "geographical_scope"] as const;

/** The startups that are kept, each to be edited or forgotten. */
export function Startups() {
  const { t } = useWords();
  const startups = useQuery({ queryKey: ["startups"], queryFn: listStartups });
  return (
    <Part id="startups" title={t("settings.startups")} query={startups}>
      {(kept) => (
        <>
          <p>{t(kept.length > 0 ? "settings.startups.what" : "settings.startups.none")}</p>
          <ul className="startups stack">
            {kept.map((startup) => (
              <StartupRow key={startup.id} startup={startup} />
            ))}
          </ul>
        </>
      )}
    </Part>
  );
}

function StartupRow({ startup }: { startup: Startup }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const editing = useRef<DialogHandle>(null);
  const question = useRef<DialogHandle>(null);
  const [edited, setEdited] = useState(startup);
  const reload = () => queries.invalidateQueries({ queryKey: ["startups"] });
  const save = useMutation({
    mutationFn: () => replaceStartup(edited),
    async onSuccess() {
      editing.current?.close();
      await reload();
    },
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    save.mutate();
  }
  return (
    <li className="apart">
      <span>
        <b>{startup.name}</b>
        <small className="brief">{startup.description}</small>
      </span>
      <span className="row">
        <button
          type="button"
          className="quiet"
          aria-label={t("settings.startups.edit.one", { name: startup.name })}
          onClick={() => (setEdited(startup), editing.current?.open())}
        >
          {t("settings.startups.edit")}
        </button>
        <button
          type="button"
          className="quiet danger"
          aria-label={t("settings.startups.delete.one", { name: startup.name })}
          onClick={() => question.current?.open()}
        >
          {t("settings.startups.delete")}
        </button>
      </span>
      <Dialog title={t("settings.startups.edit.one", { name: startup.name })} handle={editing}>
        <form className="stack" onSubmit={submit}>
          {FIELDS.map((field) => (
            <label className="field" key={field}>
              <span>{t(`settings.startups.${field}`)}</span>
              <textarea
                rows={1}
                required={field === "name"}
                value={edited[field]}
                onChange={(event) => setEdited({ ...edited, [field]: event.target.value })}
              />
            </label>
          ))}
          {save.error && <ErrorNotice error={save.error} />}
          <div className="actions">
            <button className="primary" disabled={save.isPending}>
              {t("settings.startups.save")}
            </button>
          </div>
        </form>
      </Dialog>
      <ConfirmDelete
        handle={question}
        title={t("settings.startups.delete.title", { name: startup.name })}
        text={t("settings.startups.delete.text")}
        yes={t("settings.startups.delete.yes")}
        onDelete={() => deleteStartup(startup.id)}
        onGone={reload}
      />
    </li>
  );
}
