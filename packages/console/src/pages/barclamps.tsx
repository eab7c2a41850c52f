import { barclamp_list } from '@hostwright/api/nouns/barclamp';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ImportBarclamp } from '../content/import-barclamp.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { plural } from '../ui/words.ts';

export const BarclampsPage = () => {
  useCrumbs({ label: 'Barclamps' });
  const barclamps = useQuery(reading(barclamp_list, { query: { limit: 500 } }));
  return (
    <Page
      title="Barclamps"
      lead="A barclamp is a folder of roles, scripts and templates. Adding a workload means adding a folder."
      actions={<ImportBarclamp />}
    >
      <Loaded read={barclamps}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty icon="barclamp" title="No barclamp imported">
              <code>hostwright barclamp import FOLDER</code> brings one in; its roles then appear
              under Roles.
            </Empty>
          ) : (
            <div className="role-cards">
              {data.items.map((each) => (
                <Link
                  key={each.id}
                  className="card link-card"
                  to="/barclamps/$barclamp"
                  params={{ barclamp: each.name }}
                >
                  <div className="row">
                    <h2 className="grow">{each.name}</h2>
                    <span className="badge outline">{each.version}</span>
                  </div>
                  <p className="muted">{each.description}</p>
                  <p className="faint">
                    {plural(each.roles.length, 'role')} · imported <TimeAgo at={each.importedAt} />
                  </p>
                </Link>
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
};
