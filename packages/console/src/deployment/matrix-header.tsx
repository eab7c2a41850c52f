import { Link } from '@tanstack/react-router';
import { Icon } from '../ui/icon.tsx';
import type { Verdict } from './drag.tsx';
import type { Frame, MatrixAnswer } from './matrix-model.ts';

export interface RoleHeaderProps {
  readonly role: MatrixAnswer['roles'][number];
  readonly frame: Frame;
  readonly verdict: Verdict | undefined;
  readonly dragging: boolean;
  readonly over: boolean;
  readonly height: number;
}

/** One role: its name, and while nodes are dragged, whether it would take them. */
export const RoleHeader = ({ role, frame, verdict, dragging, over, height }: RoleHeaderProps) => {
  const says = !dragging
    ? undefined
    : verdict === undefined
      ? 'asking'
      : verdict.accepts
        ? 'accepts'
        : 'refuses';
  return (
    <div
      className={frame.wide ? 'matrix-role wide' : 'matrix-role'}
      style={{ width: frame.column }}
      data-says={says}
      data-over={over}
      data-drop-role={role.name}
    >
      <Link to="/roles/$role" params={{ role: role.name }} draggable={false} title={role.name}>
        {role.milestone ? <span className="milestone" aria-label="milestone" role="img" /> : null}
        <span className="matrix-role-name">{role.name}</span>
      </Link>
      {says === 'accepts' ? (
        <Icon name="check" size={13} />
      ) : says === 'refuses' ? (
        <Icon name="cross" size={13} />
      ) : null}
      {dragging ? (
        <span className="matrix-drop" style={{ height }} data-drop-role={role.name} />
      ) : null}
    </div>
  );
};
