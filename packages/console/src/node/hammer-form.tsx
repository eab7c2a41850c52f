/**
 * Gives a node its BMC, or changes what is known of it. The password goes in as a secret and never
 * comes back; who may not keep secrets names one that is kept.
 */
import type { Answer } from '@hostwright/api';
import { hammer_put, type hammer_list } from '@hostwright/api/nouns/hammer';
import type { Node } from '@hostwright/api/nouns/node';
import { secret_put } from '@hostwright/api/nouns/secret';
import { useState } from 'react';
import { fieldText } from '../form/read-form.ts';
import { send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { say } from '../ui/toast.tsx';

export type Hammer = Answer<typeof hammer_list>['items'][number];

const KINDS = {
  ipmi: {
    label: 'IPMI: power and boot device, by LAN',
    endpoint: 'Host or address of the BMC, with :port if it is not 623.',
    placeholder: '10.0.1.21',
  },
  redfish: {
    label: 'Redfish: power and boot device, by HTTPS',
    endpoint: 'Address of the BMC as a URL.',
    placeholder: 'https://10.0.1.21',
  },
} as const;
type Kind = keyof typeof KINDS;
const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);

/** What a form says of `config`; the rest of it stays as it was. */
const configOf = (kind: Kind, form: FormData, before: Hammer['config']): Hammer['config'] => {
  const name = kind === 'ipmi' ? 'cipherSuite' : 'certificateSha256';
  const text = fieldText(form, name).trim();
  const { [name]: _before, ...rest } = before;
  return text === '' ? rest : { ...rest, [name]: kind === 'ipmi' ? Number(text) : text };
};

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Where a new password goes unless another secret is named: to none that another hammer opens its BMC with. */
const secretOf = (node: string, kind: Kind, hammers: readonly Hammer[]): string => {
  const plain = `bmc/${node}`;
  const shared = hammers.some((other) => other.kind !== kind && other.secret === plain);
  return shared ? `${plain}/${kind}` : plain;
};

interface Wanted {
  readonly kind: Kind;
  readonly endpoint: string;
  readonly username: string;
  readonly secret: string | null;
  readonly password: string;
  readonly config: Hammer['config'];
}

const give = async (node: string, wanted: Wanted): Promise<Hammer> => {
  const { kind, password, ...body } = wanted;
  const kept = password === '' ? null : body.secret;
  if (kept !== null)
    await send(secret_put, { params: { secret: kept }, body: { value: password } });
  try {
    return await send(hammer_put, { params: { node, kind }, body });
  } catch (error) {
    // the form says that nothing was changed: this was
    if (kept !== null) say(`${kept} is kept, sealed`, 'The hammer is not.');
    throw error;
  }
};

/** `hammer`: one to change; undefined: a new one of a kind that the node has not. */
export const HammerForm = (props: {
  readonly node: Node;
  readonly hammer: Hammer | undefined;
  readonly hammers: readonly Hammer[];
  readonly onClose: () => void;
}) => {
  const { node, hammer } = props;
  const mayKeep = useMay('admin');
  const offered = (['ipmi', 'redfish'] as const).filter(
    (each) => !props.hammers.some((it) => it.kind === each),
  );
  const known = hammer !== undefined && isKind(hammer.kind) ? hammer.kind : undefined;
  const [kind, setKind] = useState<Kind>(known ?? offered[0] ?? 'ipmi');
  const ownSecret = secretOf(node.name, kind, props.hammers);
  const put = useChange((wanted: Wanted) => give(node.name, wanted), {
    quiet: true,
    onSuccess: (made) => {
      say(`${node.name} has the hammer ${made.kind}`, 'Test it: only then it is known to work.');
      props.onClose();
    },
  });
  const submit = (form: FormData) => {
    const password = fieldText(form, 'value');
    const named = fieldText(form, 'secret').trim();
    put.mutate({
      kind,
      endpoint: fieldText(form, 'endpoint').trim(),
      username: fieldText(form, 'username'),
      secret: named === '' ? (password === '' ? null : ownSecret) : named,
      password,
      config: configOf(kind, form, hammer?.config ?? {}),
    });
  };
  return (
    <FormDialog
      title={hammer === undefined ? `A hammer for ${node.name}` : `${hammer.kind} of ${node.name}`}
      action={hammer === undefined ? 'Give it' : 'Save'}
      change={put}
      onClose={props.onClose}
      onSubmit={submit}
    >
      {hammer === undefined ? (
        <SelectField
          label="Kind"
          name="kind"
          value={kind}
          onChange={({ target }) => setKind(isKind(target.value) ? target.value : 'ipmi')}
        >
          {offered.map((each) => (
            <option key={each} value={each}>
              {KINDS[each].label}
            </option>
          ))}
        </SelectField>
      ) : null}
      <TextField
        label="Address"
        name="endpoint"
        required
        autoFocus
        defaultValue={hammer?.endpoint ?? ''}
        placeholder={KINDS[kind].placeholder}
        hint={KINDS[kind].endpoint}
      />
      <TextField label="User" name="username" defaultValue={hammer?.username ?? ''} />
      {mayKeep ? (
        <TextField
          label="Password"
          name="value"
          type="password"
          autoComplete="new-password"
          hint="Kept sealed as the secret below, and never shown again. Empty: the secret stays as it is."
        />
      ) : null}
      <TextField
        label="Secret"
        name="secret"
        defaultValue={hammer?.secret ?? ''}
        placeholder={ownSecret}
        hint={
          mayKeep
            ? 'Name of the secret that holds the password. A new password is for all that name it.'
            : 'Name of the secret that holds the password. An admin keeps secrets.'
        }
      />
      {kind === 'ipmi' ? (
        <TextField
          key="cipherSuite"
          label="Cipher suite"
          name="cipherSuite"
          type="number"
          min={0}
          max={17}
          defaultValue={shown(hammer?.config['cipherSuite'])}
          placeholder="17"
          hint="Older BMCs know 3 only."
        />
      ) : (
        <TextField
          key="certificateSha256"
          label="Pinned certificate"
          name="certificateSha256"
          defaultValue={shown(hammer?.config['certificateSha256'])}
          placeholder="SHA-256, 64 hexadecimal digits"
          hint="BMCs sign their own: a certificate with another fingerprint is told no password."
        />
      )}
    </FormDialog>
  );
};
