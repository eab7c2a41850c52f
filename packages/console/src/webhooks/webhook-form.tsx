import { webhook_create, webhook_patch } from '@hostwright/api/nouns/webhook';
import { fieldText } from '../form/read-form.ts';
import { send, unchanged, useChange } from '../session/client.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { say } from '../ui/toast.tsx';

const kindsOf = (text: string): string[] => text.split(/[\s,]+/).filter((kind) => kind !== '');

const Fields = (props: { readonly url: string; readonly kinds: readonly string[] }) => (
  <>
    <TextField
      label="URL"
      name="url"
      type="url"
      required
      defaultValue={props.url}
      placeholder="https://example.com/hostwright"
      hint="Each event is posted there as JSON, signed."
    />
    <TextField
      label="Kinds of events"
      name="kinds"
      defaultValue={props.kinds.join(', ')}
      placeholder="noderole.state, node.*"
      hint="Empty: all of them."
    />
  </>
);

export const NewWebhook = ({ onClose }: { readonly onClose: () => void }) => {
  const create = useChange(
    (body: { name: string; url: string; kinds: string[] }) => send(webhook_create, { body }),
    { quiet: true },
  );
  if (create.data !== undefined && create.data.signingKey !== null)
    return (
      <ShownOnce
        title="The signing key"
        text={create.data.signingKey}
        label="the signing key"
        onClose={onClose}
      >
        <p className="muted">
          Give it to the receiver: with it, it can tell that a message came from here.
        </p>
      </ShownOnce>
    );
  return (
    <FormDialog
      title="New webhook"
      action="Create"
      change={create}
      onClose={onClose}
      onSubmit={(form) =>
        create.mutate({
          name: fieldText(form, 'name'),
          url: fieldText(form, 'url'),
          kinds: kindsOf(fieldText(form, 'kinds')),
        })
      }
    >
      <TextField label="Name" name="name" required autoFocus placeholder="chat" />
      <Fields url="" kinds={[]} />
    </FormDialog>
  );
};

export interface EditedWebhook {
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly string[];
  readonly revision: number;
}

export const EditWebhook = (props: {
  readonly webhook: EditedWebhook;
  readonly onClose: () => void;
}) => {
  const { webhook } = props;
  const patch = useChange(
    (body: { url: string; kinds: string[] }) =>
      send(webhook_patch, { params: { webhook: webhook.name }, body }, unchanged(webhook)),
    {
      quiet: true,
      onSuccess: () => {
        say(`${webhook.name} changed`);
        props.onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Edit ${webhook.name}`}
      action="Save"
      change={patch}
      onClose={props.onClose}
      onSubmit={(form) =>
        patch.mutate({
          url: fieldText(form, 'url'),
          kinds: kindsOf(fieldText(form, 'kinds')),
        })
      }
    >
      <Fields url={webhook.url} kinds={webhook.kinds} />
    </FormDialog>
  );
};
