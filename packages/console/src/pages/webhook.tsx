/** One webhook: what goes there, and whether it arrives. */
import {
  webhook_delete,
  webhook_delivery_list,
  webhook_get,
  webhook_patch,
} from '@hostwright/api/nouns/webhook';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { reading, send, unchanged, useChange } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { ConfirmDelete } from '../ui/confirm-delete.tsx';
import { Empty, Notice } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded, LoadingPage } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { EditWebhook } from '../webhooks/webhook-form.tsx';

const Deliveries = ({ webhook }: { readonly webhook: string }) => {
  const deliveries = useQuery({
    ...reading(webhook_delivery_list, { params: { webhook }, query: { limit: 100 } }),
    refetchInterval: 5000,
  });
  return (
    <Loaded read={deliveries}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="clock" title="Nothing was sent yet">
            The next event of its kinds is posted as soon as it is committed.
          </Empty>
        ) : (
          <Table
            label="Deliveries"
            compact
            headings={['Event', 'Answer', 'Tries', 'What went wrong', 'Last try']}
          >
            {items.map((each) => (
              <tr key={each.id}>
                <td className="num">{each.eventId}</td>
                <td>
                  <span
                    className={
                      each.deliveredAt !== null
                        ? 'badge good'
                        : each.deadAt === null
                          ? 'badge warn'
                          : 'badge bad'
                    }
                  >
                    {each.status ?? (each.deadAt === null ? 'under way' : 'given up')}
                  </span>
                </td>
                <td className="num">{each.attempts}</td>
                <td className="muted clip" title={each.error ?? undefined}>
                  {each.error}
                </td>
                <td className="faint">
                  <TimeAgo at={each.lastAt} />
                </td>
              </tr>
            ))}
          </Table>
        )
      }
    </Loaded>
  );
};

export const WebhookPage = () => {
  const { webhook: name } = useParams({ from: '/inside/webhooks/$webhook' });
  const { data, error } = useQuery(reading(webhook_get, { params: { webhook: name } }));
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  useCrumbs({ label: 'Webhooks', to: '/webhooks' }, { label: name });
  const params = { webhook: name };
  const turn = useChange(
    ({ active, revision }: { readonly active: boolean; readonly revision: number }) =>
      send(webhook_patch, { params, body: { active } }, unchanged({ revision })),
    { onSuccess: (made) => say(`${made.name} is ${made.active ? 'on' : 'off'}`) },
  );
  if (data === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <>
          {data.name}{' '}
          <span className={data.active ? 'badge good' : 'badge'}>{data.active ? 'on' : 'off'}</span>
        </>
      }
      lead={<span className="mono">{data.url}</span>}
      actions={
        <>
          <button
            className="btn"
            disabled={turn.isPending}
            onClick={() => turn.mutate({ active: !data.active, revision: data.revision })}
          >
            <Icon name={data.active ? 'pause' : 'play'} />
            {data.active ? 'Switch off' : 'Switch on'}
          </button>
          <button className="btn" onClick={() => setOpen('edit')}>
            <Icon name="edit" /> Edit
          </button>
          <button className="btn danger" onClick={() => setOpen('delete')}>
            <Icon name="trash" /> Delete
          </button>
        </>
      }
    >
      {data.disabledReason === null ? null : (
        <Notice tone="bad">
          <strong>Hostwright switched it off.</strong>
          <p className="muted">
            {data.disabledReason} Mend the receiver, then switch it on again; what was missed is in
            the event list.
          </p>
        </Notice>
      )}
      <div className="grid-side">
        <Card title="Deliveries, newest first" flush>
          <Deliveries webhook={name} />
        </Card>
        <Card title="Facts">
          <dl className="facts">
            <dt>Kinds</dt>
            <dd>{data.kinds.length === 0 ? 'all events' : data.kinds.join(', ')}</dd>
            <dt>Signed by</dt>
            <dd className="mono">{data.secret}</dd>
            <dt>Made</dt>
            <dd>
              <TimeAgo at={data.createdAt} />
            </dd>
          </dl>
        </Card>
      </div>
      {open === 'edit' ? <EditWebhook webhook={data} onClose={close} /> : null}
      {open === 'delete' ? (
        <ConfirmDelete
          name={name}
          remove={() => send(webhook_delete, { params: { webhook: name } }, unchanged(data))}
          list="/webhooks"
          onClose={close}
        >
          Nothing more is posted there; its deliveries are forgotten.
        </ConfirmDelete>
      ) : null}
    </Page>
  );
};
