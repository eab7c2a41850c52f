/** Tokens for programs and for machines that are to join. A secret is shown once. */
import { token_create, token_list, token_revoke } from '@hostwright/api/nouns/token';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { fieldText } from '../form/read-form.ts';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Notice, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';

const NewToken = ({ onClose }: { readonly onClose: () => void }) => {
  const [kind, setKind] = useState<'api' | 'join'>('api');
  const [nameId, kindId, limitId] = [useId(), useId(), useId()];
  const mayJoin = useMay('operator');
  const create = useChange(
    ({ name, limit }: { readonly name: string; readonly limit: number }) =>
      send(token_create, {
        body: kind === 'api' ? { kind, name, expiresInDays: limit } : { kind, name, uses: limit },
      }),
    { quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    create.mutate({ name: fieldText(form, 'name'), limit: Number(fieldText(form, 'limit')) });
  };
  if (create.data !== undefined)
    return (
      <Dialog
        title="Your new token"
        onClose={onClose}
        footer={
          <button className="btn primary" onClick={onClose}>
            I have kept it
          </button>
        }
      >
        <div className="stack">
          <Notice tone="warn">It is shown this once only.</Notice>
          <CopyBox text={create.data.secret} label="the token" />
          {create.data.command === null ? null : (
            <>
              <p className="muted">Run this on the machine that is to join:</p>
              <CopyBox text={create.data.command} label="the command" />
            </>
          )}
        </div>
      </Dialog>
    );
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      footer={
        <button className="btn primary" form="new-token" disabled={create.isPending}>
          Create
        </button>
      }
    >
      <form id="new-token" className="stack" onSubmit={submit}>
        {create.error === null ? null : <Trouble error={create.error} />}
        <div className="field">
          <label htmlFor={kindId}>For</label>
          <select
            id={kindId}
            className="select"
            value={kind}
            onChange={(event) => setKind(event.target.value === 'join' ? 'join' : 'api')}
          >
            <option value="api">a program that uses the API</option>
            {mayJoin ? <option value="join">machines that are to join</option> : null}
          </select>
        </div>
        <div className="field">
          <label htmlFor={nameId}>Name</label>
          <input
            id={nameId}
            className="input"
            name="name"
            required
            autoFocus
            autoComplete="off"
            placeholder={kind === 'api' ? 'what uses it' : 'which machines'}
          />
        </div>
        <div className="field">
          <label htmlFor={limitId}>{kind === 'api' ? 'Good for days' : 'How many machines'}</label>
          <input
            id={limitId}
            key={kind}
            className="input"
            name="limit"
            type="number"
            min={1}
            max={kind === 'api' ? 3650 : 100_000}
            defaultValue={kind === 'api' ? 90 : 1}
            required
          />
        </div>
      </form>
    </Dialog>
  );
};

export const TokensPage = () => {
  useCrumbs({ label: 'Tokens' });
  const { data, error } = useQuery(reading(token_list, {}));
  const [creating, setCreating] = useState(false);
  const revoke = useChange((token: number) => send(token_revoke, { params: { token } }), {
    onSuccess: () => say('Revoked', 'It stops working at once.'),
  });
  const live = data?.items.filter((token) => token.revokedAt === null) ?? [];
  return (
    <Page
      title="Tokens"
      lead="For programs that use the API, and for machines that are to join."
      actions={
        <button className="btn primary" onClick={() => setCreating(true)}>
          <Icon name="plus" /> New token
        </button>
      }
    >
      {error === null ? null : <Trouble error={error} />}
      {data === undefined ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <Card flush>
          {live.length === 0 ? (
            <Empty icon="token" title="No tokens">
              A token lets a program do what you may do, or a machine join the fleet.
            </Empty>
          ) : (
            <div className="table-wrap" tabIndex={0} role="region" aria-label="Tokens">
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">For</th>
                    <th scope="col">User</th>
                    <th scope="col">Used</th>
                    <th scope="col">Expires</th>
                    <th scope="col">
                      <span className="sr-only">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {live.map((token) => (
                    <tr key={token.id}>
                      <td className="strong">
                        {token.name === '' ? `token ${token.id}` : token.name}
                      </td>
                      <td>
                        <span className="badge">{token.kind}</span> {token.role ?? ''}{' '}
                        {token.usesLeft === null ? '' : `${token.usesLeft} left`}
                      </td>
                      <td>{token.user ?? ''}</td>
                      <td className="faint">
                        <TimeAgo at={token.lastUsedAt} />
                      </td>
                      <td className="faint">
                        {token.expiresAt === null ? 'never' : <TimeAgo at={token.expiresAt} />}
                      </td>
                      <td>
                        <span className="actions">
                          <button
                            className="btn quiet small"
                            onClick={() => revoke.mutate(token.id)}
                            aria-label={`Revoke ${token.name === '' ? `token ${token.id}` : token.name}`}
                          >
                            Revoke
                          </button>
                        </span>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Card>
      )}
      {creating ? <NewToken onClose={() => setCreating(false)} /> : null}
    </Page>
  );
};
