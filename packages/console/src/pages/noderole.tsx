/** One noderole: why, its runs, its attributes and where each comes from, its neighbours. */
import {
  noderole_attribs,
  noderole_edges,
  noderole_get,
  noderole_refresh,
  noderole_retry,
  noderole_why,
  type Noderole,
} from '@hostwright/api/nouns/noderole';
import { run_list } from '@hostwright/api/nouns/run';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { AttribTable } from '../node/attrib-table.tsx';
import { AllowDialog } from '../run/allow-dialog.tsx';
import { RunTable } from '../run/run-table.tsx';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty, Notice, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Json } from '../ui/json.tsx';
import { Card, Page } from '../ui/page.tsx';
import { State } from '../ui/state.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { WhyLine } from '../ui/why-line.tsx';
import { LoadingPage } from '../ui/loaded.tsx';

const Actions = ({ noderole }: { readonly noderole: Noderole }) => {
  const may = useMay('operator', [noderole.deploymentId]);
  const params = { noderole: noderole.id };
  const retry = useChange(() => send(noderole_retry, { params }), {
    onSuccess: () => say('It will run again'),
  });
  const refresh = useChange(() => send(noderole_refresh, { params }), {
    onSuccess: () => say('Refreshing'),
  });
  const [asking, setAsking] = useState(false);
  if (!may) return null;
  return (
    <>
      {noderole.holds.includes('consent') || noderole.drifted ? (
        <button className="btn danger" onClick={() => setAsking(true)}>
          <Icon name="warn" /> Allow once
        </button>
      ) : null}
      {asking ? <AllowDialog noderole={noderole} onClose={() => setAsking(false)} /> : null}
      {noderole.state === 'active' ? (
        <button
          className="btn"
          onClick={() => refresh.mutate(undefined)}
          disabled={refresh.isPending}
        >
          Refresh
        </button>
      ) : null}
      {noderole.state === 'error' || noderole.state === 'active' ? (
        <button
          className={noderole.state === 'error' ? 'btn primary' : 'btn'}
          onClick={() => retry.mutate(undefined)}
          disabled={retry.isPending}
        >
          <Icon name="retry" /> {noderole.state === 'error' ? 'Retry' : 'Run again'}
        </button>
      ) : null}
    </>
  );
};

const Edges = ({ id }: { readonly id: number }) => {
  const { data } = useQuery(reading(noderole_edges, { params: { noderole: id } }));
  if (data === undefined) return <Skeleton lines={2} />;
  const list = (title: string, items: typeof data.parents) => (
    <>
      <h3>{title}</h3>
      {items.length === 0 ? <p className="faint">none</p> : null}
      {items.map((each) => (
        <div key={each.id} className="row">
          <Link
            className="truncate"
            to="/noderoles/$noderole"
            params={{ noderole: String(each.id) }}
          >
            {each.role}
          </Link>
          <span className="faint truncate">{each.node}</span>
          <span className="end">
            <State look={each.state} />
          </span>
        </div>
      ))}
    </>
  );
  return (
    <div className="stack tight">
      {list('Parents', data.parents)}
      {list('Children', data.children)}
    </div>
  );
};

export const NoderolePage = () => {
  const { noderole: id } = useParams({ from: '/inside/noderoles/$noderole' });
  const params = { noderole: Number(id) };
  const { data: noderole, error } = useQuery(reading(noderole_get, { params }));
  const { data: why } = useQuery(reading(noderole_why, { params }));
  const { data: runs } = useQuery(
    reading(run_list, { query: { noderole: Number(id), limit: 50 } }),
  );
  const { data: attribs } = useQuery(reading(noderole_attribs, { params }));
  useCrumbs(
    {
      label: noderole?.node ?? 'Node',
      ...(noderole === undefined ? {} : { to: `/nodes/${noderole.node}` }),
    },
    { label: noderole?.role ?? id },
  );
  if (noderole === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <span className="row">
          {noderole.role} on {noderole.node} <State look={noderole.state} />
        </span>
      }
      lead={
        <>
          In{' '}
          <Link to="/deployments/$deployment" params={{ deployment: noderole.deployment }}>
            {noderole.deployment}
          </Link>
          , {noderole.state} since <TimeAgo at={noderole.stateSince} />, cohort {noderole.cohort}
        </>
      }
      actions={<Actions noderole={noderole} />}
    >
      {why === undefined ? null : (
        <WhyLine
          sentence={why.sentence}
          done={noderole.state === 'active'}
          cause={why.cause}
          command={why.command}
        />
      )}
      {noderole.drifted ? (
        <Notice tone="warn">
          <strong>Drifted.</strong> {noderole.driftReason} It is destructive, so it is not run again
          unasked.
        </Notice>
      ) : null}
      <div className="grid-side">
        <div className="stack loose">
          <Card title="Runs" flush>
            {runs === undefined ? (
              <Skeleton />
            ) : runs.items.length === 0 ? (
              <Empty icon="clock" title="It has not run yet" />
            ) : (
              <RunTable runs={runs.items} hideNode />
            )}
          </Card>
          <Card title="Attributes and where they come from" flush>
            {attribs === undefined ? <Skeleton /> : <AttribTable items={attribs.items} />}
          </Card>
        </div>
        <div className="stack">
          <Card title="Graph">
            <Edges id={noderole.id} />
          </Card>
          {Object.keys(noderole.wall).length === 0 ? null : (
            <Card title="Wall: what its runs wrote back">
              <Json value={noderole.wall} />
            </Card>
          )}
        </div>
      </div>
    </Page>
  );
};
