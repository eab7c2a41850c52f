/** Secrets by name. A value goes in, sealed, and never comes out again. */
import { secret_delete, secret_list, secret_put } from '@hostwright/api/nouns/secret';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldText } from '../form/read-form.ts';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';

/** `name`: a new value for a secret that is there; undefined: a new secret. */
const PutSecret = (props: { readonly name: string | undefined; readonly onClose: () => void }) => {
  const put = useChange(
    ({ name, value }: { readonly name: string; readonly value: string }) =>
      send(secret_put, { params: { secret: name }, body: { value } }),
    {
      quiet: true,
      onSuccess: (kept) => {
        say(`${kept.name} is kept, sealed`);
        props.onClose();
      },
    },
  );
  return (
    <FormDialog
      title={props.name === undefined ? 'New secret' : `New value for ${props.name}`}
      action="Save"
      change={put}
      onClose={props.onClose}
      onSubmit={(form) =>
        put.mutate({
          name: props.name ?? fieldText(form, 'name'),
          value: fieldText(form, 'value'),
        })
      }
    >
      {props.name === undefined ? (
        <TextField
          label="Name"
          name="name"
          required
          autoFocus
          placeholder="bmc/rack-12"
          hint="Lower case letters, digits, . _ / -. Attributes and hammers refer to it by this name."
        />
      ) : null}
      <TextField
        label="Value"
        name="value"
        type="password"
        required
        autoFocus={props.name !== undefined}
        autoComplete="new-password"
        hint="It cannot be read back, by anybody."
      />
    </FormDialog>
  );
};

export const SecretsPage = () => {
  useCrumbs({ label: 'Secrets' });
  const secrets = useQuery(reading(secret_list, {}));
  const may = useMay('admin');
  const [putting, setPutting] = useState<{ readonly name: string | undefined }>();
  const [deleting, setDeleting] = useState<string>();
  const remove = useChange((secret: string) => send(secret_delete, { params: { secret } }), {
    quiet: true,
    onSuccess: () => {
      say('Secret deleted');
      setDeleting(undefined);
    },
  });
  const add = (
    <button className="btn primary" onClick={() => setPutting({ name: undefined })}>
      <Icon name="plus" /> New secret
    </button>
  );
  return (
    <Page
      title="Secrets"
      lead="Passwords and keys that roles, hammers and webhooks refer to by name. They are resolved inside a run and masked in its log."
      actions={may ? add : undefined}
    >
      <Loaded read={secrets}>
        {({ items }) => (
          <Card flush>
            {items.length === 0 ? (
              <Empty icon="secret" title="No secrets">
                Keep a password here and write its name where it is needed: nobody reads it back.
              </Empty>
            ) : (
              <Table
                label="Secrets"
                headings={['Name', 'Made', 'Changed', ...(may ? [ACTIONS] : [])]}
              >
                {items.map((secret) => (
                  <tr key={secret.name}>
                    <td className="strong mono">{secret.name}</td>
                    <td className="faint">
                      <TimeAgo at={secret.createdAt} />
                    </td>
                    <td className="faint">
                      <TimeAgo at={secret.updatedAt} />
                    </td>
                    {may ? (
                      <td>
                        <span className="actions">
                          <button
                            className="btn quiet small"
                            aria-label={`New value for ${secret.name}`}
                            onClick={() => setPutting({ name: secret.name })}
                          >
                            New value
                          </button>
                          <button
                            className="btn quiet icon small"
                            aria-label={`Delete ${secret.name}`}
                            onClick={() => setDeleting(secret.name)}
                          >
                            <Icon name="trash" />
                          </button>
                        </span>
                      </td>
                    ) : null}
                  </tr>
                ))}
              </Table>
            )}
          </Card>
        )}
      </Loaded>
      {putting === undefined ? null : (
        <PutSecret name={putting.name} onClose={() => setPutting(undefined)} />
      )}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete ${deleting}?`}
          action="Delete"
          change={remove}
          onConfirm={() => remove.mutate(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          <p className="muted">
            Refused while a hammer or a webhook uses it. Runs that refer to it will fail.
          </p>
        </Confirm>
      )}
    </Page>
  );
};
