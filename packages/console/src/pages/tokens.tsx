/** Tokens for programs and for machines that are to join. A secret is shown once. */
import { token_list, token_revoke } from '@hostwright/api/nouns/token';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { NewToken } from '../tokens/new-token.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';

interface Named {
  readonly id: number;
  readonly name: string;
}
const nameOf = (token: Named): string => (token.name === '' ? `token ${token.id}` : token.name);

export const TokensPage = () => {
  useCrumbs({ label: 'Tokens' });
  const tokens = useQuery(reading(token_list, {}));
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Named>();
  const revoke = useChange((token: number) => send(token_revoke, { params: { token } }), {
    onSuccess: () => {
      say('Revoked', 'It stops working at once.');
      setRevoking(undefined);
    },
  });
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
      <Loaded read={tokens}>
        {({ items }) => {
          const live = items.filter((token) => token.revokedAt === null);
          return (
            <Card flush>
              {live.length === 0 ? (
                <Empty icon="token" title="No tokens">
                  A token lets a program do what you may do, or a machine join the fleet.
                </Empty>
              ) : (
                <Table
                  label="Tokens"
                  headings={[
                    'Name',
                    'For',
                    { label: 'User', wide: true },
                    { label: 'Used', wide: true },
                    'Expires',
                    ACTIONS,
                  ]}
                >
                  {live.map((token) => (
                    <tr key={token.id}>
                      <td className="strong">{nameOf(token)}</td>
                      <td>
                        <span className="badge">{token.kind}</span> {token.role ?? ''}{' '}
                        {token.usesLeft === null ? '' : `${token.usesLeft} left`}
                      </td>
                      <td className="wide-only">{token.user ?? ''}</td>
                      <td className="faint wide-only">
                        <TimeAgo at={token.lastUsedAt} />
                      </td>
                      <td className="faint">
                        {token.expiresAt === null ? 'never' : <TimeAgo at={token.expiresAt} />}
                      </td>
                      <td>
                        <span className="actions">
                          <button
                            className="btn quiet small"
                            onClick={() => setRevoking(token)}
                            aria-label={`Revoke ${nameOf(token)}`}
                          >
                            Revoke
                          </button>
                        </span>
                      </td>
                    </tr>
                  ))}
                </Table>
              )}
            </Card>
          );
        }}
      </Loaded>
      {creating ? <NewToken onClose={() => setCreating(false)} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke ${nameOf(revoking)}?`}
          action="Revoke"
          change={revoke}
          onConfirm={() => revoke.mutate(revoking.id)}
          onClose={() => setRevoking(undefined)}
        >
          <p className="muted">What uses it stops working at once; it cannot be given back.</p>
        </Confirm>
      )}
    </Page>
  );
};
