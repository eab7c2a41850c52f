/** One cell of the matrix: what it is, why, its data, and what can be done with it. */
import type { JsonObject } from '@hostwright/core';
import type { Deployment } from '@hostwright/api/nouns/deployment';
import {
  noderole_attribs,
  noderole_get,
  noderole_retry,
  noderole_why,
} from '@hostwright/api/nouns/noderole';
import { snapshot_binding_data, snapshot_unbind } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_content } from '@hostwright/api/nouns/snapshot';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RoleDataForm } from '../form/role-data.tsx';
import { reading, send, useChange } from '../session/client.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { State } from '../ui/state.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { WhyLine } from '../ui/why-line.tsx';
import { inProposal } from './proposal.ts';

export interface Cell {
  /** 0: only proposed so far. */
  readonly noderole: number;
  readonly node: string;
  readonly role: string;
}

const CellState = ({ id }: { readonly id: number }) => {
  const { data: noderole } = useQuery(reading(noderole_get, { params: { noderole: id } }));
  const { data: why } = useQuery(reading(noderole_why, { params: { noderole: id } }));
  if (noderole === undefined) return <Skeleton lines={2} />;
  return (
    <div className="stack">
      <div className="row">
        <State look={noderole.state} />
        <span className="faint">
          since <TimeAgo at={noderole.stateSince} />
        </span>
        {noderole.drifted ? <span className="badge warn">drifted</span> : null}
        {noderole.degradedBy === null ? null : <span className="badge warn">degraded</span>}
        {noderole.holds.map((hold) => (
          <span key={hold} className="badge">
            held: {hold}
          </span>
        ))}
      </div>
      {why === undefined ? null : (
        <WhyLine
          sentence={why.sentence}
          done={noderole.state === 'active'}
          cause={why.cause}
          command={why.command}
        />
      )}
    </div>
  );
};

const useBindingData = (deployment: Deployment, cell: Cell): JsonObject | undefined => {
  const snapshot = deployment.proposedSnapshotId ?? deployment.committedSnapshotId;
  const { data } = useQuery({
    ...reading(snapshot_content, { params: { snapshot: snapshot ?? 0 } }),
    enabled: snapshot !== null,
  });
  return data?.bindings.find((each) => each.role === cell.role && each.node === cell.node)?.data;
};

export const CellDialog = (props: {
  readonly deployment: Deployment;
  readonly cell: Cell;
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}) => {
  const { cell, deployment } = props;
  const [editing, setEditing] = useState(false);
  const data = useBindingData(deployment, cell);
  const { data: explained } = useQuery({
    ...reading(noderole_attribs, { params: { noderole: cell.noderole } }),
    enabled: cell.noderole !== 0,
  });
  const { data: noderole } = useQuery({
    ...reading(noderole_get, { params: { noderole: cell.noderole } }),
    enabled: cell.noderole !== 0,
  });
  const retry = useChange(() => send(noderole_retry, { params: { noderole: cell.noderole } }), {
    onSuccess: () => say(`${cell.role} on ${cell.node} will run again`),
  });
  const unbind = useChange(
    () =>
      inProposal(deployment, (snapshot) =>
        send(snapshot_unbind, {
          params: { snapshot },
          body: { bindings: [{ role: cell.role, node: cell.node }] },
        }),
      ),
    {
      onSuccess: (answer) => {
        say(
          `${cell.role} unbound from ${cell.node} in the proposal`,
          answer.alsoUnbound.length === 0
            ? ''
            : `With it: ${answer.alsoUnbound.map((each) => `${each.role} on ${each.node}`).join(', ')}`,
        );
        props.onClose();
      },
    },
  );
  const save = useChange(
    (next: JsonObject) =>
      inProposal(deployment, (snapshot) =>
        send(snapshot_binding_data, {
          params: { snapshot, role: cell.role, node: cell.node },
          body: { data: next },
        }),
      ),
    { onSuccess: () => say('In the proposal', 'Review the plan to see what it would change.') },
  );
  return (
    <Dialog
      title={`${cell.role} on ${cell.node}`}
      onClose={props.onClose}
      footer={
        <>
          {props.mayEdit && data !== undefined ? (
            <button
              className="btn danger"
              onClick={() => unbind.mutate(undefined)}
              disabled={unbind.isPending}
            >
              Unbind
            </button>
          ) : null}
          <span className="grow" />
          {cell.noderole === 0 ? null : (
            <Link
              className="btn"
              to="/noderoles/$noderole"
              params={{ noderole: String(cell.noderole) }}
            >
              Runs and attributes
            </Link>
          )}
          {props.mayEdit && noderole?.state === 'error' ? (
            <button
              className="btn primary"
              onClick={() => retry.mutate(undefined)}
              disabled={retry.isPending}
            >
              <Icon name="retry" /> Retry
            </button>
          ) : null}
        </>
      }
    >
      <div className="stack">
        {cell.noderole === 0 ? (
          <div className="row">
            <State look="proposed" />{' '}
            <span className="muted">Bound in the proposal; it becomes work with the commit.</span>
          </div>
        ) : (
          <CellState id={cell.noderole} />
        )}
        {data === undefined ? null : (
          <>
            <div className="row">
              <h3>Data for this node</h3>
              {props.mayEdit ? (
                <button className="btn quiet small end" onClick={() => setEditing(!editing)}>
                  <Icon name="edit" /> {editing ? 'Only look' : 'Edit'}
                </button>
              ) : null}
            </div>
            <RoleDataForm
              key={String(editing)}
              role={cell.role}
              data={data}
              readOnly={!editing}
              saving={save.isPending}
              provenance={explained?.items ?? []}
              onSave={(next) => save.mutate(next)}
            />
          </>
        )}
      </div>
    </Dialog>
  );
};
