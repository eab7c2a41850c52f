import { barclamp_get } from '@hostwright/api/nouns/barclamp';
import { role_list } from '@hostwright/api/nouns/role';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ImportBarclamp } from '../content/import-barclamp.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Json } from '../ui/json.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { LoadingPage } from '../ui/loaded.tsx';

export const BarclampPage = () => {
  const { barclamp: name } = useParams({ from: '/inside/barclamps/$barclamp' });
  const { data, error } = useQuery(reading(barclamp_get, { params: { barclamp: name } }));
  const { data: roles } = useQuery(
    reading(role_list, { query: { barclamp: name, limit: 1000, sort: 'name' } }),
  );
  useCrumbs({ label: 'Barclamps', to: '/barclamps' }, { label: name });
  if (data === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <>
          {data.name} <span className="badge outline">{data.version}</span>
        </>
      }
      lead={data.description}
      actions={<ImportBarclamp folder={data.sourcePath} label="Import again" />}
    >
      <div className="grid-side">
        <Card title="Roles" flush>
          <table className="table">
            <tbody>
              {roles?.items.map((role) => (
                <tr key={role.id}>
                  <td>
                    <span className="row">
                      {role.flags.includes('milestone') ? (
                        <span className="milestone" title="milestone" />
                      ) : null}
                      <Link
                        className="strong nowrap"
                        to="/roles/$role"
                        params={{ role: role.name }}
                      >
                        {role.name}
                      </Link>
                    </span>
                  </td>
                  <td className="muted prose">{role.description}</td>
                  <td className="end num">{role.noderoles}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
        <Card title="Facts">
          <dl className="facts">
            <dt>Imported</dt>
            <dd>
              <TimeAgo at={data.importedAt} />
            </dd>
            <dt>From</dt>
            <dd className="mono">{data.sourcePath}</dd>
            <dt>Content</dt>
            <dd className="mono">{data.contentHash.slice(0, 16)}</dd>
          </dl>
          {Object.keys(data.data).length === 0 ? null : <Json value={data.data} />}
        </Card>
      </div>
    </Page>
  );
};
