/** Asked before something is deleted for good; then the list it stood in is shown. */
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChange } from '../session/client.ts';
import { Confirm } from './confirm.tsx';
import { say } from './toast.tsx';

export const ConfirmDelete = (props: {
  readonly name: string;
  readonly remove: () => Promise<unknown>;
  readonly list: '/deployments' | '/groups' | '/networks' | '/webhooks';
  /** What is good to know afterwards. */
  readonly note?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) => {
  const navigate = useNavigate();
  const change = useChange(props.remove, {
    quiet: true,
    onSuccess: () => {
      say(`${props.name} deleted`, props.note);
      void navigate({ to: props.list });
    },
  });
  return (
    <Confirm
      title={`Delete ${props.name}?`}
      action="Delete"
      change={change}
      onConfirm={() => change.mutate(undefined)}
      onClose={props.onClose}
    >
      <p className="muted">{props.children}</p>
    </Confirm>
  );
};
