/** Alert channels: create, test and disable them, with their deliveries. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type SubmitEvent } from "react";

import {
  changeChannel,
  createChannel,
  deleteChannel,
  listChannels,
  listDeliveries,
  replayDelivery,
  testChannel,
  type Channel,
  type ChannelBody,
  type Delivery,
} from "../api/client";
import { ConfirmDelete } from "../parts/dialog/confirm-delete";
import { Dialog, type DialogHandle } from "../parts/dialog/dialog";
import { ErrorNotice } from "../parts/notices";
import { ShownOnce } from "../parts/shown-once";
import { useWords } from "../strings";
import { Part } from "./part";
import { Facts } from "../parts/text/facts";

const KINDS = ["webhook", "slack", "teams", "ntfy", "email"] as const;
const ALERTS = ["run.waiting", "run.deadline_near", "run.cap_reached", "run.ended", "run.failed"] as const;

export function Channels() {
  const { t } = useWords();
  const channels = useQuery({ queryKey: ["channels"], queryFn: listChannels });
  const making = useRef<DialogHandle>(null);
  const [secret, setSecret] = useState("");
  return (
    <Part id="channels" title={t("settings.channels")} query={channels}>
      {(kept) => (
        <>
          <p>{t(kept.length > 0 ? "settings.channels.what" : "settings.channels.none")}</p>
          <ul className="channels stack">
            {kept.map((channel) => (
              <ChannelRow key={channel.id} channel={channel} />
            ))}
          </ul>
          {secret && <ShownOnce says={t("settings.channels.secret")} secret={secret} />}
          <button type="button" onClick={() => making.current?.open()}>
            {t("settings.channels.add")}
          </button>
          <Dialog title={t("settings.channels.add")} handle={making}>
            <ChannelForm
              onMade={(made) => {
                setSecret(made);
                making.current?.close();
              }}
            />
          </Dialog>
        </>
      )}
    </Part>
  );
}

/** The fields of a new channel; its secret, where it has one, goes to `onMade`. */
function ChannelForm({ onMade }: { onMade: (secret: string) => void }) {
  const { t, language } = useWords();
  const queries = useQueryClient();
  const empty: ChannelBody = { kind: "webhook", target: "", name: "", events: [...ALERTS], language, enabled: true };
  const [body, setBody] = useState(empty);
  const make = useMutation({
    mutationFn: () => createChannel({ ...body, language }),
    async onSuccess({ secret }) {
      await queries.invalidateQueries({ queryKey: ["channels"] });
      setBody(empty);
      onMade(secret);
    },
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    make.mutate();
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field">
        <span>{t("settings.channels.kind")}</span>
        <select
          value={body.kind}
          onChange={(event) => setBody({ ...body, kind: event.target.value as ChannelBody["kind"] })}
        >
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {t(`settings.channels.kind.${kind}`)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{t(body.kind === "email" ? "settings.channels.mail" : "settings.channels.target")}</span>
        <input
          required
          type={body.kind === "email" ? "email" : "url"}
          value={body.target}
          onChange={(event) => setBody({ ...body, target: event.target.value })}
        />
        <small>{t(`settings.channels.help.${body.kind}`)}</small>
      </label>
      <label className="field">
        <span>{t("settings.channels.name")}</span>
        <input value={body.name} maxLength={100} onChange={(event) => setBody({ ...body, name: event.target.value })} />
      </label>
      <fieldset>
        <legend>{t("settings.channels.events")}</legend>
        {ALERTS.map((alert) => (
          <label className="check" key={alert}>
            <input
              type="checkbox"
              checked={body.events?.includes(alert)}
              onChange={(event) => {
                const rest = ALERTS.filter((one) =>
                  one === alert ? event.target.checked : body.events?.includes(one),
                );
                setBody({ ...body, events: rest });
              }}
            />
            {t(`settings.channels.event.${alert}`)}
          </label>
        ))}
      </fieldset>
      {make.error && <ErrorNotice error={make.error} />}
      <div className="actions">
        <button className="primary" disabled={make.isPending || body.events?.length === 0}>
          {t("settings.channels.save")}
        </button>
      </div>
    </form>
  );
}

function ChannelRow({ channel }: { channel: Channel }) {
  const { t, say } = useWords();
  const queries = useQueryClient();
  const question = useRef<DialogHandle>(null);
  const name = channel.name || channel.shown_target;
  const isOn = channel.enabled && !channel.disabled;
  const reload = () => queries.invalidateQueries({ queryKey: ["channels"] });
  const test = useMutation({ mutationFn: () => testChannel(channel.id), onSettled: reload });
  const turn = useMutation({ mutationFn: () => changeChannel(channel, !isOn), onSettled: reload });
  const error = test.error ?? turn.error;
  const waiting = channel.queued ? t("settings.channels.waiting", { n: channel.queued }) : "";
  const state = channel.disabled ? say(channel.disabled) : isOn ? "" : t("settings.channels.off");
  return (
    <li className="stack">
      <div className="apart">
        <span>
          <b>{name}</b>
          <small>
            <Facts
              of={[t(`settings.channels.kind.${channel.kind}`), channel.name && channel.shown_target, state, waiting]}
            />
          </small>
        </span>
        <span className="row">
          <button
            type="button"
            aria-label={t("settings.channels.test.one", { name })}
            disabled={test.isPending || !isOn}
            onClick={() => test.mutate()}
          >
            {t(test.isPending ? "settings.channels.testing" : "settings.channels.test")}
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={t(isOn ? "settings.channels.disable.one" : "settings.channels.enable.one", { name })}
            disabled={turn.isPending}
            onClick={() => turn.mutate()}
          >
            {t(isOn ? "settings.channels.disable" : "settings.channels.enable")}
          </button>
          <button
            type="button"
            className="quiet danger"
            aria-label={t("settings.channels.delete.one", { name })}
            onClick={() => question.current?.open()}
          >
            {t("settings.startups.delete")}
          </button>
        </span>
      </div>
      {test.data && !test.isPending && <Outcome delivery={test.data} />}
      {error && <ErrorNotice error={error} />}
      <Log channel={channel.id} />
      <ConfirmDelete
        handle={question}
        title={t("settings.startups.delete.title", { name })}
        text={t("settings.channels.delete.text")}
        yes={t("settings.startups.delete.yes")}
        onDelete={() => deleteChannel(channel.id)}
        onGone={reload}
      />
    </li>
  );
}

/** What became of a test. */
function Outcome({ delivery }: { delivery: Delivery }) {
  const { t, say } = useWords();
  const { status, failure } = delivery;
  const isDone = status === "delivered";
  return (
    <div className="notice" data-kind={isDone ? "info" : failure ? "error" : "wait"} role="status">
      <p>
        {isDone
          ? t("settings.channels.delivered")
          : failure
            ? t(status === "failed" ? "settings.channels.failed" : "settings.channels.retried", {
                reason: say(failure),
              })
            : t("settings.channels.queued")}
      </p>
    </div>
  );
}

/** What was sent through a channel, loaded once it is opened. */
function Log({ channel }: { channel: string }) {
  const { t, say, date } = useWords();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const queryKey = ["deliveries", channel];
  const log = useQuery({ queryKey, queryFn: () => listDeliveries(channel), enabled: isOpen });
  const replay = useMutation({
    mutationFn: (alert: string) => replayDelivery(channel, alert),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("settings.channels.log")}</summary>
      {log.data?.length === 0 && <p>{t("settings.channels.log.none")}</p>}
      <ul className="stack">
        {log.data?.map((each) => (
          <li className="apart" key={each.id}>
            <span>
              {each.type === "channel.test"
                ? t("settings.channels.event.channel.test")
                : t(`settings.channels.event.${each.type}`)}
              <small>
                <Facts
                  of={[
                    date(each.at),
                    t(`settings.channels.status.${each.status}`),
                    each.status !== "delivered" && each.failure && say(each.failure),
                  ]}
                />
              </small>
            </span>
            {each.status !== "lapsed" && (
              <button
                type="button"
                className="quiet"
                disabled={replay.isPending}
                onClick={() => replay.mutate(each.id)}
              >
                {t(each.status === "queued" ? "settings.channels.now" : "settings.channels.replay")}
              </button>
            )}
          </li>
        ))}
      </ul>
      {(log.error ?? replay.error) && <ErrorNotice error={(log.error ?? replay.error)!} />}
    </details>
  );
}
