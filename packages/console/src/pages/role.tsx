import { role_get } from '@hostwright/api/nouns/role';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Json } from '../ui/json.tsx';
import { Card, Page } from '../ui/page.tsx';
import { State } from '../ui/state.tsx';
import { formatSpan, TimeAgo } from '../ui/time-ago.tsx';
import { Table } from '../ui/table.tsx';
import { LoadingPage } from '../ui/loaded.tsx';

const RoleLinks = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? (
    <span className="faint">none</span>
  ) : (
    <span className="row wrap">
      {names.map((name) => (
        <Link key={name} to="/roles/$role" params={{ role: name }}>
          {name}
        </Link>
      ))}
    </span>
  );

const Where = ({ role }: { readonly role: string }) => {
  const { data } = useQuery(reading(noderole_list, { query: { role, limit: 100 } }));
  if (data === undefined) return <Skeleton />;
  if (data.items.length === 0)
    return (
      <Empty icon="node" title="No node has this role">
        Drag a node onto it in a deployment.
      </Empty>
    );
  return (
    <Table label="Noderoles of this role" headings={['Node', 'Deployment', 'State', 'Since']}>
      {data.items.map((each) => (
        <tr key={each.id}>
          <td>
            <Link
              className="strong"
              to="/noderoles/$noderole"
              params={{ noderole: String(each.id) }}
            >
              {each.node}
            </Link>
          </td>
          <td>{each.deployment}</td>
          <td>
            <State look={each.state} />
          </td>
          <td className="faint">
            <TimeAgo at={each.stateSince} />
          </td>
        </tr>
      ))}
    </Table>
  );
};

export const RolePage = () => {
  const { role: name } = useParams({ from: '/inside/roles/$role' });
  const { data: role, error } = useQuery(reading(role_get, { params: { role: name } }));
  useCrumbs({ label: 'Roles', to: '/roles' }, { label: name });
  if (role === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <>
          {role.name}{' '}
          {role.flags.map((flag) => (
            <span key={flag} className={flag === 'destructive' ? 'badge warn' : 'badge'}>
              {flag}
            </span>
          ))}
        </>
      }
      lead={role.description}
    >
      <div className="grid-side">
        <div className="stack loose">
          <Card title="Where it is bound" flush>
            <Where role={role.name} />
          </Card>
          <Card title="Attributes" flush>
            {role.attribs.length === 0 ? (
              <Empty icon="settings" title="No attributes" />
            ) : (
              <Table label="Attributes" headings={['Name', 'Path', 'Default', 'Meaning']}>
                {role.attribs.map((attrib) => (
                  <tr key={attrib.name}>
                    <td className="strong">{attrib.name}</td>
                    <td className="mono">{attrib.path}</td>
                    <td className="mono">
                      {attrib.default === null ? '' : JSON.stringify(attrib.default)}
                    </td>
                    <td className="muted prose">
                      {attrib.description}
                      {attrib.secret ? <span className="badge">secret</span> : null}
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </Card>
        </div>
        <Card title="Facts">
          <dl className="facts">
            <dt>Barclamp</dt>
            <dd>
              <Link to="/barclamps/$barclamp" params={{ barclamp: role.barclamp }}>
                {role.barclamp}
              </Link>
            </dd>
            <dt>Jig</dt>
            <dd>{role.jig}</dd>
            <dt>Lane</dt>
            <dd>{role.lane}</dd>
            <dt>Requires</dt>
            <dd>
              <RoleLinks names={role.requires} />
            </dd>
            <dt>After</dt>
            <dd>
              <RoleLinks names={role.after} />
            </dd>
            <dt>Wants</dt>
            <dd>{role.wants.join(', ') || <span className="faint">none</span>}</dd>
            <dt>Provides</dt>
            <dd>{role.provides.join(', ') || <span className="faint">none</span>}</dd>
            <dt>Conflicts</dt>
            <dd>
              <RoleLinks names={role.conflicts} />
            </dd>
            <dt>Deadline</dt>
            <dd>{formatSpan(role.deadlineSeconds * 1000)}</dd>
            <dt>Retries</dt>
            <dd>
              {role.retryLimit}, after {formatSpan(role.retryBackoffSeconds * 1000)}
            </dd>
            <dt>Teardown</dt>
            <dd>{role.teardown ? 'yes' : 'no'}</dd>
          </dl>
          {Object.keys(role.data).length === 0 ? null : <Json value={role.data} />}
        </Card>
      </div>
    </Page>
  );
};
