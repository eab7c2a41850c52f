/** The same as dragging, by keyboard: which role should these nodes have. */
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { useState } from 'react';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { plural } from '../ui/words.ts';
import { useOfferedRoles } from './add-role-dialog.tsx';
import { useVerdicts, VerdictText } from './drag.tsx';
import { useBind } from './proposal.ts';

export const BindDialog = (props: {
  readonly deployment: Deployment;
  readonly nodes: readonly string[];
  readonly onClose: () => void;
  readonly onBound: () => void;
}) => {
  const verdicts = useVerdicts(props.deployment.name, props.nodes);
  const roles = useOfferedRoles();
  const [role, setRole] = useState<string>();
  const bind = useBind(props.deployment);
  const offered = new Map(roles.map((role) => [role.name, role.flags.includes('milestone')]));
  const sorted = (verdicts.data?.roles ?? [])
    .filter((each) => offered.has(each.role))
    .toSorted(
      (a, b) =>
        Number(b.accepts) - Number(a.accepts) ||
        Number(offered.get(b.role)) - Number(offered.get(a.role)) ||
        a.role.localeCompare(b.role),
    );
  const chosen = sorted.find((each) => each.role === role);
  const what =
    props.nodes.length === 1 ? (props.nodes[0] ?? '') : plural(props.nodes.length, 'node');
  return (
    <Dialog
      title={`Bind ${what} to a role`}
      wide
      onClose={props.onClose}
      footer={
        <>
          <button className="btn quiet" onClick={props.onClose}>
            Cancel
          </button>
          <button
            className="btn primary"
            disabled={chosen?.accepts !== true || bind.isPending}
            onClick={() =>
              role !== undefined &&
              bind.mutate({ role, nodes: props.nodes }, { onSuccess: props.onBound })
            }
          >
            Bind {chosen === undefined ? '' : `to ${chosen.role}`}
          </button>
        </>
      }
    >
      {verdicts.error === null ? null : <Trouble error={verdicts.error} />}
      {verdicts.data === undefined && verdicts.error === null ? <Skeleton /> : null}
      <div className="bind">
        <div className="bind-roles" role="radiogroup" aria-label="Role">
          {sorted.map((each) => (
            <label key={each.role} className="bind-role" data-accepts={each.accepts}>
              <input
                type="radio"
                name="role"
                value={each.role}
                checked={role === each.role}
                onChange={() => setRole(each.role)}
              />
              {offered.get(each.role) === true ? (
                <span className="milestone" title="milestone" />
              ) : null}
              <span className="truncate">{each.role}</span>
              <span className="end">
                {each.accepts ? <Icon name="check" size={13} /> : <Icon name="cross" size={13} />}
              </span>
            </label>
          ))}
        </div>
        <div className="bind-verdict" aria-live="polite">
          {chosen === undefined ? (
            <p className="muted">Choose a role to see what would happen.</p>
          ) : (
            <VerdictText verdict={chosen} />
          )}
        </div>
      </div>
    </Dialog>
  );
};
