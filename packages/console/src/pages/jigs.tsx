import { jig_list, jig_patch } from '@hostwright/api/nouns/jig';
import { useQuery } from '@tanstack/react-query';
import { reading, send, unchanged, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { say } from '../ui/toast.tsx';
import { Table } from '../ui/table.tsx';

export const JigsPage = () => {
  useCrumbs({ label: 'Jigs' });
  const jigs = useQuery(reading(jig_list, {}));
  const may = useMay('admin');
  const turn = useChange(
    ({
      jig,
      active,
    }: {
      readonly jig: { readonly name: string; readonly revision: number };
      readonly active: boolean;
    }) => send(jig_patch, { params: { jig: jig.name }, body: { active } }, unchanged(jig)),
    {
      onSuccess: (made) =>
        say(
          `${made.name} is ${made.active ? 'on' : 'off'}`,
          made.active ? '' : 'Its noderoles wait until it is switched on again.',
        ),
    },
  );
  return (
    <Page
      title="Jigs"
      lead="A jig carries roles out: it runs scripts, plays playbooks, talks to agents. Switched off, its noderoles wait."
    >
      <Loaded read={jigs}>
        {(data) => (
          <Card flush>
            <Table
              label="Jigs"
              headings={[
                'Jig',
                'What it does',
                { label: 'Roles', end: true },
                { label: 'Live runs', end: true },
                'Switched',
              ]}
            >
              {data.items.map((jig) => (
                <tr key={jig.name}>
                  <td className="strong">{jig.name}</td>
                  <td className="muted prose">{jig.description}</td>
                  <td className="end">{jig.roles}</td>
                  <td className="end">{jig.liveRuns}</td>
                  <td>
                    {may ? (
                      <label className="check">
                        <input
                          type="checkbox"
                          role="switch"
                          checked={jig.active}
                          disabled={turn.isPending}
                          aria-label={`${jig.name} switched on`}
                          onChange={(event) => turn.mutate({ jig, active: event.target.checked })}
                        />
                        {jig.active ? 'on' : 'off'}
                      </label>
                    ) : (
                      <span className={jig.active ? 'badge good' : 'badge'}>
                        {jig.active ? 'on' : 'off'}
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          </Card>
        )}
      </Loaded>
    </Page>
  );
};
