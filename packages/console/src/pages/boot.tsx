/** What machines can boot and install, who serves it, and who booted lately. */
import { boot_list, boot_server_list, bootenv_list } from '@hostwright/api/nouns/boot';
import { os_list } from '@hostwright/api/nouns/os';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { BootTable } from '../boot/boot-table.tsx';
import { Bootable } from '../boot/missing.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TAB } from '../ui/tab-link.ts';
import { Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';

const TABS = [
  ['envs', 'Boot environments'],
  ['os', 'Operating systems'],
  ['boots', 'Boots'],
  ['strangers', 'Strangers'],
  ['servers', 'DHCP and DNS'],
] as const;

const Bootenvs = () => (
  <Loaded read={useQuery(reading(bootenv_list, {}))}>
    {({ items }) =>
      items.length === 0 ? (
        <Empty icon="boot" title="No boot environments">
          They come with the barclamps that boot machines.
        </Empty>
      ) : (
        <Table
          label="Boot environments"
          headings={['Name', 'Kind', 'What it is', 'Ready', { label: 'Nodes', end: true }]}
        >
          {items.map((each) => (
            <tr key={each.name}>
              <td>
                <Link className="strong" to="/bootenvs/$bootenv" params={{ bootenv: each.name }}>
                  {each.name}
                </Link>
              </td>
              <td>
                <span className="badge">{each.kind}</span>
              </td>
              <td className="muted prose">{each.description}</td>
              <td>
                <Bootable {...each} />
              </td>
              <td className="end">{each.nodes.toLocaleString('en')}</td>
            </tr>
          ))}
        </Table>
      )
    }
  </Loaded>
);

const Systems = () => (
  <Loaded read={useQuery(reading(os_list, {}))}>
    {({ items }) =>
      items.length === 0 ? (
        <Empty icon="boot" title="No operating systems">
          OS templates come with barclamps: a folder with the files of an unattended installation.
        </Empty>
      ) : (
        <Table
          label="Operating systems"
          headings={['Name', 'Title', 'Installed by', 'Ready', 'Imported']}
        >
          {items.map((each) => (
            <tr key={each.name}>
              <td>
                <Link className="strong" to="/os/$os" params={{ os: each.name }}>
                  {each.name}
                </Link>
              </td>
              <td>{each.title}</td>
              <td>
                <span className="badge">{each.kind}</span>
              </td>
              <td>
                <Bootable {...each} />
              </td>
              <td className="faint">
                <TimeAgo at={each.importedAt} />
              </td>
            </tr>
          ))}
        </Table>
      )
    }
  </Loaded>
);

const Boots = ({ strangers }: { readonly strangers: boolean }) => {
  const boots = useQuery({
    ...reading(boot_list, { query: { limit: 100, ...(strangers ? { strangers } : {}) } }),
    // events tell of the boots of nodes, but strangers are listed here too
    refetchInterval: 5000,
  });
  return (
    <Loaded read={boots}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="clock" title={strangers ? 'No stranger has booted' : 'Nothing has booted'}>
            A machine that boots from the network is written down here from its first request on.
          </Empty>
        ) : (
          <BootTable boots={items} />
        )
      }
    </Loaded>
  );
};

const Servers = () => {
  const servers = useQuery({ ...reading(boot_server_list, {}), refetchInterval: 5000 });
  return (
    <Loaded read={servers}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="network" title="No DHCP or DNS server is fed">
            Bind the roles of the barclamps dhcp and dns to the admin node.
          </Empty>
        ) : (
          <Table
            label="DHCP and DNS servers"
            headings={[
              'Name',
              'Kind',
              { label: 'Current', end: true },
              { label: 'Behind', end: true },
              { label: 'Refused', end: true },
              'Trouble',
              'Fed',
            ]}
          >
            {items.map((each) => (
              <tr key={each.id}>
                <td className="strong">
                  {each.name} {each.active ? null : <span className="badge">off</span>}
                </td>
                <td>
                  <span className="badge">{each.kind}</span>
                </td>
                <td className="end">{each.current}</td>
                <td className="end">{each.behind}</td>
                <td className="end">{each.refused}</td>
                <td className="muted prose">{each.error}</td>
                <td className="faint">
                  <TimeAgo at={each.fedAt} />
                </td>
              </tr>
            ))}
          </Table>
        )
      }
    </Loaded>
  );
};

export const BootPage = () => {
  useCrumbs({ label: 'Boot' });
  const { tab = 'envs' } = useSearch({ from: '/inside/boots' });
  return (
    <Page
      title="Boot"
      lead="What to boot is decided for each request from the database, once per decision; otherwise a machine boots from its disk."
    >
      <nav className="tabs" aria-label="Views of boot">
        {TABS.map(([key, label]) => (
          <Link
            key={key}
            to="/boots"
            search={{ tab: key === 'envs' ? undefined : key }}
            activeOptions={TAB}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Card flush>
        {tab === 'os' ? (
          <Systems />
        ) : tab === 'boots' || tab === 'strangers' ? (
          <Boots key={tab} strangers={tab === 'strangers'} />
        ) : tab === 'servers' ? (
          <Servers />
        ) : (
          <Bootenvs />
        )}
      </Card>
    </Page>
  );
};
