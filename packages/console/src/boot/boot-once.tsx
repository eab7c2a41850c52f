/** Decide what the next boot of a node is, once: rescue, discovery, memory test. Never an installer. */
import { boot_intent_create, bootenv_list } from '@hostwright/api/nouns/boot';
import type { Node } from '@hostwright/api/nouns/node';
import { useQuery } from '@tanstack/react-query';
import { fieldText } from '../form/read-form.ts';
import { reading, send, useChange } from '../session/client.ts';
import { Notice } from '../ui/empty.tsx';
import { SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { say } from '../ui/toast.tsx';

export const BootOnce = ({
  node,
  onClose,
}: {
  readonly node: Node;
  readonly onClose: () => void;
}) => {
  const bootenvs = useQuery(reading(bootenv_list, {}));
  const decide = useChange(
    (bootenv: string) =>
      send(boot_intent_create, { params: { node: node.name }, body: { bootenv } }),
    {
      quiet: true,
      onSuccess: (made) => {
        say(`The next boot of ${node.name} is ${made.bootenv}`, 'Power it on or reboot it.');
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Next boot of ${node.name}`}
      action="Boot it once"
      change={decide}
      onClose={onClose}
      onSubmit={(form) => decide.mutate(fieldText(form, 'bootenv'))}
    >
      <Loaded read={bootenvs} lines={2}>
        {({ items }) => {
          const offered = items.filter(
            (each) => each.kind !== 'install' && each.kind !== 'local' && each.bootable,
          );
          return offered.length === 0 ? (
            <Notice tone="warn">
              No boot environment has all its files. The page Boot says which are missing.
            </Notice>
          ) : (
            <SelectField
              label="Boot environment"
              name="bootenv"
              hint="Used for one boot, within an hour; afterwards it boots from its disk again."
            >
              {offered.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}: {each.description}
                </option>
              ))}
            </SelectField>
          );
        }}
      </Loaded>
      <p className="muted">
        An operating system is installed by binding its role in a deployment: that shows a plan and
        asks for consent to overwrite disks.
      </p>
    </FormDialog>
  );
};
