/** The operator's data of a deployment: its own, and that of each role taken into it. */
import type { JsonObject } from '@hostwright/core';
import type { Deployment } from '@hostwright/api/nouns/deployment';
import {
  deployment_data,
  deployment_role_data,
  deployment_role_list,
} from '@hostwright/api/nouns/deployment-data';
import { snapshot_content } from '@hostwright/api/nouns/snapshot';
import {
  snapshot_data,
  snapshot_role_delete,
  snapshot_role_put,
} from '@hostwright/api/nouns/snapshot-edit';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { JsonEditor } from '../form/json-editor.tsx';
import { RoleDataForm } from '../form/role-data.tsx';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { TAB } from '../ui/tab-link.ts';
import { say } from '../ui/toast.tsx';
import { plural } from '../ui/words.ts';
import { inProposal } from './proposal.ts';
import { SystemRole } from './system-role.tsx';

const useContent = (deployment: Deployment) => {
  const snapshot = deployment.proposedSnapshotId ?? deployment.committedSnapshotId;
  return useQuery({
    ...reading(snapshot_content, { params: { snapshot: snapshot ?? 0 } }),
    enabled: snapshot !== null,
  });
};

export const DataTab = ({
  deployment,
  chosen,
  mayEdit,
}: {
  readonly deployment: Deployment;
  readonly chosen: string | undefined;
  readonly mayEdit: boolean;
}) => {
  const navigate = useNavigate();
  const { data: roles } = useQuery(
    reading(deployment_role_list, { params: { deployment: deployment.name } }),
  );
  const { data: content } = useContent(deployment);
  const done = {
    onSuccess: () => say('In the proposal', 'Review the plan to see what it would change.'),
  };
  // the system deployment is never proposed: its data holds at once
  const setsAtOnce = useMay('admin') && deployment.system;
  const readOnly = !mayEdit && !setsAtOnce;
  const atOnce = async (setting: Promise<{ readonly rerun: number }>): Promise<void> => {
    const { rerun } = await setting;
    say(
      'Set',
      rerun === 0 ? 'Nothing runs again for it.' : `${plural(rerun, 'noderole')} run again.`,
    );
  };
  const params = { deployment: deployment.name };
  const saveOwn = useChange((data: JsonObject): Promise<unknown> =>
    setsAtOnce
      ? atOnce(send(deployment_data, { params, body: { data } }))
      : inProposal(deployment, (snapshot) =>
          send(snapshot_data, { params: { snapshot }, body: { data } }),
        ).then(done.onSuccess),
  );
  const saveRole = useChange(
    ({ role, data }: { role: string; data: JsonObject }): Promise<unknown> =>
      setsAtOnce
        ? atOnce(send(deployment_role_data, { params: { ...params, role }, body: { data } }))
        : inProposal(deployment, (snapshot) =>
            send(snapshot_role_put, { params: { snapshot, role }, body: { data } }),
          ).then(done.onSuccess),
  );
  const takeOut = useChange(
    (role: string) =>
      inProposal(deployment, (snapshot) =>
        send(snapshot_role_delete, { params: { snapshot, role } }),
      ),
    done,
  );
  if (roles === undefined) return <Skeleton />;
  const role =
    roles.items.find((each) => each.role === chosen) ??
    (setsAtOnce && chosen !== undefined ? { role: chosen, data: {}, bindings: 0 } : undefined);
  return (
    <div className="grid-data">
      <nav className="stack tight" aria-label="Roles of this deployment">
        <Link
          className="tree-link"
          to="/deployments/$deployment"
          params={{ deployment: deployment.name }}
          search={{ tab: 'data', role: undefined }}
          activeOptions={TAB}
        >
          <Icon name="deployment" /> Deployment’s own
        </Link>
        {roles.items.map((each) => (
          <Link
            key={each.roleId}
            className="tree-link"
            to="/deployments/$deployment"
            params={{ deployment: deployment.name }}
            search={{ tab: 'data', role: each.role }}
            activeOptions={TAB}
          >
            {each.milestone ? <span className="milestone" /> : <Icon name="role" />}
            <span className="truncate">{each.role}</span>
            <span className="count">{each.bindings}</span>
          </Link>
        ))}
        {setsAtOnce ? (
          <SystemRole chosen={chosen} listed={roles.items.map((each) => each.role)} />
        ) : null}
      </nav>
      {role === undefined ? (
        <JsonEditor
          key={deployment.id}
          label={`Data of ${deployment.name}`}
          hint="For every role and node here and in the deployments below; nearer values win."
          value={content?.data ?? {}}
          readOnly={readOnly}
          saving={saveOwn.isPending}
          save={setsAtOnce ? 'Set it now' : 'Put into the proposal'}
          onSave={(data) => saveOwn.mutate(data)}
        />
      ) : (
        <div className="stack">
          <div className="row">
            <h2>{role.role}</h2>
            <span className="faint">
              {deployment.system
                ? 'data for all its nodes, here and in the deployments below'
                : `data for all its ${plural(role.bindings, 'node')} here`}
            </span>
            {mayEdit && role.bindings === 0 ? (
              <button
                className="btn quiet small end"
                onClick={() =>
                  takeOut.mutate(role.role, {
                    onSuccess: () => void navigate({ to: '.', search: { tab: 'data' } }),
                  })
                }
              >
                <Icon name="trash" /> Take out
              </button>
            ) : null}
          </div>
          <RoleDataForm
            key={role.role}
            role={role.role}
            data={role.data}
            readOnly={readOnly}
            atOnce={setsAtOnce}
            saving={saveRole.isPending}
            onSave={(data) => saveRole.mutate({ role: role.role, data })}
          />
        </div>
      )}
      {roles.items.length === 0 && !deployment.system ? (
        <Empty icon="role" title="No role taken in yet">
          Add a role, then its attributes can be set here for all its nodes.
        </Empty>
      ) : null}
    </div>
  );
};
