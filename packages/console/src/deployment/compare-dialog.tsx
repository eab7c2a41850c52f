import { deployment_diff } from '@hostwright/api/nouns/deployment-history';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading } from '../session/client.ts';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { Json } from '../ui/json.tsx';

interface Range {
  readonly from: number;
  readonly to: number;
}

const Line = ({
  tone,
  sign,
  children,
}: {
  readonly tone: string;
  readonly sign: string;
  readonly children: React.ReactNode;
}) => (
  <div className={`diff-line ${tone}`}>
    <b aria-hidden="true">{sign}</b>
    <div>{children}</div>
  </div>
);

/** What differs between two revisions of a deployment. */
export const CompareDialog = (props: {
  readonly deployment: string;
  readonly revisions: readonly number[];
  readonly start: Range;
  readonly onClose: () => void;
}) => {
  const [range, setRange] = useState(props.start);
  const { data, error } = useQuery({
    ...reading(deployment_diff, { params: { deployment: props.deployment }, query: range }),
    placeholderData: keepPreviousData,
  });
  const choose = (which: keyof Range, label: string) => (
    <label className="row tight">
      {label}
      <select
        className="select small"
        value={range[which]}
        onChange={(event) => setRange({ ...range, [which]: Number(event.target.value) })}
      >
        {(which === 'from' ? [...props.revisions, 0] : props.revisions).map((revision) => (
          <option key={revision} value={revision}>
            {revision === 0 ? 'nothing' : `revision ${revision}`}
          </option>
        ))}
      </select>
    </label>
  );
  const same =
    data !== undefined &&
    data.data === null &&
    [
      data.bindings.added,
      data.bindings.removed,
      data.bindings.changed,
      data.roles.added,
      data.roles.removed,
      data.roles.changed,
    ].every((part) => part.length === 0);
  return (
    <Dialog title={`Compare revisions of ${props.deployment}`} wide onClose={props.onClose}>
      <div className="stack">
        <div className="row">
          {choose('from', 'From')} {choose('to', 'to')}
        </div>
        {error === null ? null : <Trouble error={error} />}
        {same ? (
          <Empty icon="check" title="No difference">
            Both hold the same bindings and the same data.
          </Empty>
        ) : null}
        {data === undefined ? null : (
          <div className="diff">
            {data.roles.added.map((role) => (
              <Line key={`ra${role}`} tone="add" sign="+">
                role <strong>{role}</strong> taken in
              </Line>
            ))}
            {data.roles.removed.map((role) => (
              <Line key={`rr${role}`} tone="remove" sign="−">
                role <strong>{role}</strong> taken out
              </Line>
            ))}
            {data.bindings.added.map((each) => (
              <Line key={`ba${each.role}/${each.node}`} tone="add" sign="+">
                <strong>{each.role}</strong> on {each.node}
              </Line>
            ))}
            {data.bindings.removed.map((each) => (
              <Line key={`br${each.role}/${each.node}`} tone="remove" sign="−">
                <strong>{each.role}</strong> on {each.node}
              </Line>
            ))}
            {data.bindings.changed.map((each) => (
              <Line key={`bc${each.role}/${each.node}`} tone="change" sign="~">
                data of <strong>{each.role}</strong> on {each.node}
              </Line>
            ))}
            {data.roles.changed.map((each) => (
              <Line key={`rc${each.role}`} tone="change" sign="~">
                data of <strong>{each.role}</strong>
                <div className="grid-2">
                  <Json value={each.before} />
                  <Json value={each.after} />
                </div>
              </Line>
            ))}
            {data.data === null ? null : (
              <Line tone="change" sign="~">
                data of the deployment
                <div className="grid-2">
                  <Json value={data.data.before} />
                  <Json value={data.data.after} />
                </div>
              </Line>
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
};
