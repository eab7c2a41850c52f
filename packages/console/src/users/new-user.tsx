import { user_create } from '@hostwright/api/nouns/user';
import { ROLES, type AccessRole } from '@hostwright/api';
import { fieldText } from '../form/read-form.ts';
import { send, useChange } from '../session/client.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { say } from '../ui/toast.tsx';

const MEANING: Readonly<Record<AccessRole, string>> = {
  viewer: 'sees everything, changes nothing',
  operator: 'proposes, commits, retries, powers',
  admin: 'users, settings and barclamps too',
};

export const NewUser = ({ onClose }: { readonly onClose: () => void }) => {
  const create = useChange(
    (body: { name: string; role: AccessRole; password?: string }) => send(user_create, { body }),
    {
      quiet: true,
      onSuccess: (made) => {
        say(`${made.name} may sign in as ${made.role}`);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="New user"
      action="Create"
      change={create}
      onClose={onClose}
      onSubmit={(form) => {
        const password = fieldText(form, 'password');
        create.mutate({
          name: fieldText(form, 'name'),
          role: ROLES.find((role) => role === fieldText(form, 'role')) ?? 'viewer',
          ...(password === '' ? {} : { password }),
        });
      }}
    >
      <TextField label="Name" name="name" required autoFocus />
      <SelectField label="Role" name="role" defaultValue="operator">
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {role}: {MEANING[role]}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Password"
        name="password"
        type="password"
        minLength={10}
        autoComplete="new-password"
        hint="Empty: only a sign-in link lets them in. Otherwise at least 10 characters."
      />
    </FormDialog>
  );
};
