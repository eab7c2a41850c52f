/** One's own password and look; the settings of the system for admins. */
import { session_password } from '@hostwright/api/nouns/session';
import { setting_list, setting_put, setting_reset } from '@hostwright/api/nouns/setting';
import { system_get } from '@hostwright/api/nouns/system';
import type { JsonObject, JsonValue } from '@hostwright/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { fieldText } from '../form/read-form.ts';
import { MovedNotice } from '../form/moved-notice.tsx';
import { SchemaField } from '../form/schema-field.tsx';
import { useDraft } from '../form/use-draft.ts';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { readTheme, setTheme, type Theme } from '../shell/theme.ts';
import { Skeleton } from '../ui/empty.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';

const Password = () => {
  const [current, next] = [useId(), useId()];
  const change = useChange(
    (body: { current?: string; password: string }) => send(session_password, { body }),
    { onSuccess: () => say('Password changed', 'Your other sessions were ended.') },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const old = fieldText(form, 'current');
    change.mutate({
      password: fieldText(form, 'password'),
      ...(old === '' ? {} : { current: old }),
    });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor={current}>Current password</label>
        <input
          id={current}
          className="input"
          name="current"
          type="password"
          autoComplete="current-password"
        />
        <span className="hint">Empty if you have none yet.</span>
      </div>
      <div className="field">
        <label htmlFor={next}>New password</label>
        <input
          id={next}
          className="input"
          name="password"
          type="password"
          minLength={10}
          required
          autoComplete="new-password"
        />
        <span className="hint">At least 10 characters.</span>
      </div>
      <div>
        <button className="btn" disabled={change.isPending}>
          Change password
        </button>
      </div>
    </form>
  );
};

interface Setting {
  readonly key: string;
  readonly value: JsonValue;
  readonly default: JsonValue;
  readonly description: string;
  readonly schema: JsonObject;
  readonly updatedAt: string | null;
}

const SettingRow = ({
  setting,
  mayEdit,
}: {
  readonly setting: Setting;
  readonly mayEdit: boolean;
}) => {
  const own = setting.updatedAt === null ? undefined : setting.value;
  const draft = useDraft<JsonValue | undefined>(own);
  const [wrong, setWrong] = useState(false);
  const save = useChange(
    (value: JsonValue | undefined) =>
      value === undefined
        ? send(setting_reset, { params: { key: setting.key } })
        : send(setting_put, { params: { key: setting.key }, body: { value } }),
    {
      onSuccess: () => say('Setting kept', setting.key),
    },
  );
  return (
    <div className="row top">
      <div className="grow">
        <MovedNotice draft={draft} />
        <SchemaField
          key={draft.turn}
          name={setting.key}
          description={setting.description}
          schema={setting.schema}
          secret={false}
          value={own}
          inherited={setting.default}
          source="the default"
          readOnly={!mayEdit}
          onChange={draft.set}
          onWrong={setWrong}
        />
      </div>
      {mayEdit ? (
        <button
          className="btn small setting-save"
          disabled={!draft.changed || wrong || save.isPending}
          onClick={() => save.mutate(draft.value)}
        >
          Save
        </button>
      ) : null}
    </div>
  );
};

const System = () => {
  const { data } = useQuery(reading(system_get, {}));
  if (data === undefined) return <Skeleton lines={3} />;
  return (
    <dl className="facts">
      <dt>Version</dt>
      <dd>
        {data.version}, schema {data.schema}
      </dd>
      <dt>Address</dt>
      <dd className="mono">{data.url}</dd>
      <dt>CA fingerprint</dt>
      <dd className="mono">{data.caFingerprint ?? 'none: plain HTTP'}</dd>
      <dt>Up since</dt>
      <dd>
        <TimeAgo at={data.startedAt} />
      </dd>
      <dt>Size</dt>
      <dd>
        {data.nodes.toLocaleString('en')} nodes, {data.noderoles.toLocaleString('en')} noderoles
      </dd>
      <dt>Simulator</dt>
      <dd>{data.simulator ? 'its machines are among the nodes' : 'off'}</dd>
    </dl>
  );
};

export const SettingsPage = () => {
  useCrumbs({ label: 'Settings' });
  const { data, error } = useQuery(reading(setting_list, {}));
  const mayEdit = useMay('admin');
  const [theme, keepTheme] = useState<Theme>(readTheme);
  return (
    <Page title="Settings">
      <div className="grid-side">
        <Card title="System settings">
          {error === null ? null : <Trouble error={error} />}
          {data === undefined ? (
            <Skeleton />
          ) : (
            <div className="stack">
              {data.items.map((setting) => (
                <SettingRow key={setting.key} setting={setting} mayEdit={mayEdit} />
              ))}
            </div>
          )}
        </Card>
        <div className="stack">
          <Card title="Look">
            <Segmented
              label="Theme"
              value={theme}
              options={{ system: 'As the system', light: 'Light', dark: 'Dark' }}
              onChange={(value) => {
                setTheme(value);
                keepTheme(value);
              }}
            />
          </Card>
          <Card title="Your password">
            <Password />
          </Card>
          <Card title="This system">
            <System />
          </Card>
        </div>
      </div>
    </Page>
  );
};
