import { jig_list, jig_patch } from '@hostwright/api/nouns/jig';
import { useQuery } from '@tanstack/react-query';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { Skeleton } from '../ui/empty.tsx';
import { Card, Page } from '../ui/page.tsx';
import { say } from '../ui/toast.tsx';

export const JigsPage = () => {
  useCrumbs({ label: 'Jigs' });
  const { data, error } = useQuery(reading(jig_list, {}));
  const may = useMay('admin');
  const turn = useChange(
    ({ jig, active }: { jig: string; active: boolean }) =>
      send(jig_patch, { params: { jig }, body: { active } }),
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
      {error === null ? null : <Trouble error={error} />}
      {data === undefined ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <Card flush>
          <div className="table-wrap" tabIndex={0} role="region" aria-label="Jigs">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Jig</th>
                  <th scope="col">What it does</th>
                  <th scope="col" className="end">
                    Roles
                  </th>
                  <th scope="col" className="end">
                    Live runs
                  </th>
                  <th scope="col">Switched</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((jig) => (
                  <tr key={jig.name}>
                    <td className="strong">{jig.name}</td>
                    <td className="muted">{jig.description}</td>
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
                            onChange={(event) =>
                              turn.mutate({ jig: jig.name, active: event.target.checked })
                            }
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
              </tbody>
            </table>
          </div>
        </Card>
      )}
    </Page>
  );
};
