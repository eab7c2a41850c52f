/** Where events are posted to. */
import { webhook_list } from '@hostwright/api/nouns/webhook';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { NewWebhook } from '../webhooks/webhook-form.tsx';

export const WebhooksPage = () => {
  useCrumbs({ label: 'Webhooks' });
  const webhooks = useQuery(reading(webhook_list, {}));
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Webhooks"
      lead="Events are posted to these addresses in the order of commit, signed, and again until they are taken."
      actions={
        <button className="btn primary" onClick={() => setCreating(true)}>
          <Icon name="plus" /> New webhook
        </button>
      }
    >
      <Loaded read={webhooks}>
        {({ items }) => (
          <Card flush>
            {items.length === 0 ? (
              <Empty icon="webhook" title="No webhooks">
                A webhook tells another system what happens here: a chat, a monitor, a ticket queue.
              </Empty>
            ) : (
              <Table
                label="Webhooks"
                headings={['Name', 'State', 'URL', { label: 'Kinds', wide: true }, 'Since']}
              >
                {items.map((webhook) => (
                  <tr key={webhook.id}>
                    <td>
                      <Link
                        className="strong"
                        to="/webhooks/$webhook"
                        params={{ webhook: webhook.name }}
                      >
                        {webhook.name}
                      </Link>
                    </td>
                    <td>
                      {webhook.active ? (
                        <span className="badge good">on</span>
                      ) : (
                        <span
                          className={webhook.disabledReason === null ? 'badge' : 'badge bad'}
                          title={webhook.disabledReason ?? undefined}
                        >
                          {webhook.disabledReason === null ? 'off' : 'switched off'}
                        </span>
                      )}
                    </td>
                    <td className="mono clip" title={webhook.url}>
                      {webhook.url}
                    </td>
                    <td className="muted wide-only">
                      {webhook.kinds.length === 0 ? 'all events' : webhook.kinds.join(', ')}
                    </td>
                    <td className="faint">
                      <TimeAgo at={webhook.createdAt} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </Card>
        )}
      </Loaded>
      {creating ? <NewWebhook onClose={() => setCreating(false)} /> : null}
    </Page>
  );
};
