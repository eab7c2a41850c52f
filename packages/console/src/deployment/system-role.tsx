/** Roles of the system deployment: none is taken into it, so any whose data is to be set is chosen here. */
import { role_list } from '@hostwright/api/nouns/role';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { reading } from '../session/client.ts';
import { SelectField } from '../ui/field.tsx';

export const SystemRole = ({
  chosen,
  listed,
}: {
  readonly chosen: string | undefined;
  readonly listed: readonly string[];
}) => {
  const navigate = useNavigate();
  const { data } = useQuery(reading(role_list, { query: { limit: 1000, sort: 'name' } }));
  const others = (data?.items ?? []).filter(
    (role) => role.attribs.length > 0 && !listed.includes(role.name),
  );
  return (
    <SelectField
      label="Data of another role"
      value={others.some((role) => role.name === chosen) ? chosen : ''}
      onChange={(event) =>
        void navigate({ to: '.', search: { tab: 'data', role: event.target.value || undefined } })
      }
    >
      <option value="">choose a role</option>
      {others.map((role) => (
        <option key={role.id} value={role.name}>
          {role.name}
        </option>
      ))}
    </SelectField>
  );
};
