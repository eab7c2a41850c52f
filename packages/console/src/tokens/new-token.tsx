import { token_create } from '@hostwright/api/nouns/token';
import { useState } from 'react';
import { fieldText } from '../form/read-form.ts';
import { send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { CopyBox } from '../ui/copy.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';

export const NewToken = ({ onClose }: { readonly onClose: () => void }) => {
  const [kind, setKind] = useState<'api' | 'join'>('api');
  const mayJoin = useMay('operator');
  const create = useChange(
    ({ name, limit }: { readonly name: string; readonly limit: number }) =>
      send(token_create, {
        body: kind === 'api' ? { kind, name, expiresInDays: limit } : { kind, name, uses: limit },
      }),
    { quiet: true },
  );
  if (create.data !== undefined)
    return (
      <ShownOnce
        title="Your new token"
        text={create.data.secret}
        label="the token"
        onClose={onClose}
      >
        {create.data.command === null ? null : (
          <>
            <p className="muted">Run this on the machine that is to join:</p>
            <CopyBox text={create.data.command} label="the command" />
          </>
        )}
      </ShownOnce>
    );
  return (
    <FormDialog
      title="New token"
      action="Create"
      change={create}
      onClose={onClose}
      onSubmit={(form) =>
        create.mutate({ name: fieldText(form, 'name'), limit: Number(fieldText(form, 'limit')) })
      }
    >
      <SelectField
        label="For"
        value={kind}
        onChange={(event) => setKind(event.target.value === 'join' ? 'join' : 'api')}
      >
        <option value="api">a program that uses the API</option>
        {mayJoin ? <option value="join">machines that are to join</option> : null}
      </SelectField>
      <TextField
        label="Name"
        name="name"
        required
        autoFocus
        placeholder={kind === 'api' ? 'what uses it' : 'which machines'}
      />
      <TextField
        key={kind}
        label={kind === 'api' ? 'Good for days' : 'How many machines'}
        name="limit"
        type="number"
        min={1}
        max={kind === 'api' ? 3650 : 100_000}
        defaultValue={kind === 'api' ? 90 : 1}
        required
      />
    </FormDialog>
  );
};
