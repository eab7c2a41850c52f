/** The tree of deployments, parents first, each with a dot for its worst state. */
import {
  deployment_create,
  deployment_list,
  type Deployment,
} from '@hostwright/api/nouns/deployment';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useId, useState, type FormEvent } from 'react';
import { fieldText } from '../form/read-form.ts';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Look } from '../ui/state.tsx';

export const worstOf = (deployment: Deployment): Look => {
  const { noderoles: counts } = deployment;
  for (const state of ['error', 'transition', 'blocked', 'todo', 'active', 'proposed'] as const)
    if (counts[state] > 0) return state;
  return 'down';
};

/** Parents before children, children by name under their parent. */
export const inTreeOrder = (items: readonly Deployment[]): readonly Deployment[] => {
  const children = new Map<number | null, Deployment[]>();
  for (const item of items)
    children.set(item.parentId, [...(children.get(item.parentId) ?? []), item]);
  const walk = (parent: number | null): Deployment[] =>
    (children.get(parent) ?? [])
      .sort((a, b) => a.name.localeCompare(b.name))
      .flatMap((item) => [item, ...walk(item.id)]);
  return walk(null);
};

/** The deployment and all above it: where a grant may have been given. */
export const lineOf = (items: readonly Deployment[], id: number): readonly number[] => {
  const found = items.find((item) => item.id === id);
  if (found === undefined) return [];
  return found.parentId === null ? [id] : [id, ...lineOf(items, found.parentId)];
};

export const useDeployments = () => useQuery(reading(deployment_list, {}));

export const NewDeployment = (props: { readonly parent: string; readonly onClose: () => void }) => {
  const navigate = useNavigate();
  const { data } = useDeployments();
  const [name, parent, description] = [useId(), useId(), useId()];
  const create = useChange(
    (body: { name: string; description: string; parent: string }) =>
      send(deployment_create, { body }),
    {
      onSuccess: (made) => {
        props.onClose();
        void navigate({ to: '/deployments/$deployment', params: { deployment: made.name } });
      },
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    create.mutate({
      name: fieldText(form, 'name'),
      description: fieldText(form, 'description'),
      parent: fieldText(form, 'parent'),
    });
  };
  return (
    <Dialog
      title="New deployment"
      onClose={props.onClose}
      footer={
        <>
          <button className="btn quiet" onClick={props.onClose}>
            Cancel
          </button>
          <button className="btn primary" form="new-deployment" disabled={create.isPending}>
            Create
          </button>
        </>
      }
    >
      <form id="new-deployment" className="stack" onSubmit={submit}>
        <div className="field">
          <label htmlFor={name}>Name</label>
          <input
            id={name}
            className="input"
            name="name"
            required
            pattern="[a-z][a-z0-9._\-]*"
            autoFocus
            autoComplete="off"
          />
          <span className="hint">
            Starts with a letter; lower case letters, digits, dots and dashes.
          </span>
        </div>
        <div className="field">
          <label htmlFor={parent}>Under</label>
          <select id={parent} className="select" name="parent" defaultValue={props.parent}>
            {inTreeOrder(data?.items ?? []).map((item) => (
              <option key={item.id} value={item.name}>
                {'\u00a0\u00a0'.repeat(item.depth)}
                {item.name}
              </option>
            ))}
          </select>
          <span className="hint">It inherits the data of everything above it.</span>
        </div>
        <div className="field">
          <label htmlFor={description}>What it is for</label>
          <input id={description} className="input" name="description" autoComplete="off" />
        </div>
      </form>
    </Dialog>
  );
};

export const DeploymentTree = ({ current }: { readonly current: string }) => {
  const { data } = useDeployments();
  const may = useMay('operator');
  const [creating, setCreating] = useState(false);
  return (
    <aside className="deploy-tree" aria-label="Deployments">
      <div className="row">
        <h2 className="grow">Deployments</h2>
        {may ? (
          <button
            className="btn quiet icon small"
            aria-label="New deployment"
            onClick={() => setCreating(true)}
          >
            <Icon name="plus" />
          </button>
        ) : null}
      </div>
      <nav className="scroll grow" aria-label="Tree of deployments">
        {inTreeOrder(data?.items ?? []).map((item) => (
          <Link
            key={item.id}
            to="/deployments/$deployment"
            params={{ deployment: item.name }}
            className="tree-link"
            aria-current={item.name === current ? 'page' : undefined}
            style={{ paddingLeft: 8 + item.depth * 14 }}
          >
            <span className="tree-dot" data-state={worstOf(item)} />
            <span className="truncate">{item.name}</span>
            {item.proposedSnapshotId === null ? (
              <span className="count">{item.nodes}</span>
            ) : (
              <span className="badge info end">proposal</span>
            )}
          </Link>
        ))}
      </nav>
      {creating ? <NewDeployment parent={current} onClose={() => setCreating(false)} /> : null}
    </aside>
  );
};
