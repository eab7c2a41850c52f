/** Takes a machine off the books. Refused while roles are bound, unless it is given up for lost. */
import { node_delete, type Node } from '@hostwright/api/nouns/node';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send, useChange } from '../session/client.ts';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/toast.tsx';

export const DeleteNode = ({
  node,
  onClose,
}: {
  readonly node: Node;
  readonly onClose: () => void;
}) => {
  const navigate = useNavigate();
  const [abandon, setAbandon] = useState(false);
  const remove = useChange(
    () =>
      send(node_delete, { params: { node: node.name }, query: abandon ? { abandon: true } : {} }),
    {
      quiet: true,
      onSuccess: () => {
        say(`${node.name} deleted`, 'Its history stays.');
        void navigate({ to: '/fleet' });
      },
    },
  );
  return (
    <Dialog
      title={`Delete ${node.name}?`}
      onClose={onClose}
      footer={
        <>
          <button className="btn quiet" onClick={onClose}>
            Keep it
          </button>
          <button
            className="btn primary danger"
            onClick={() => remove.mutate(undefined)}
            disabled={remove.isPending}
          >
            Delete
          </button>
        </>
      }
    >
      <div className="stack">
        {remove.error === null ? null : <Trouble error={remove.error} />}
        <p className="muted">
          The machine itself is not touched. If it boots or joins again, it comes back as a new
          node.
        </p>
        <label className="check">
          <input
            type="checkbox"
            checked={abandon}
            onChange={(event) => setAbandon(event.target.checked)}
          />{' '}
          The machine is gone: do no teardown, abandon its roles
        </label>
      </div>
    </Dialog>
  );
};
