/** One boot environment: what a machine loads, and whether it is all there. */
import { bootenv_get } from '@hostwright/api/nouns/boot';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Bootable, MissingFiles } from '../boot/missing.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty, Notice } from '../ui/empty.tsx';
import { LoadingPage } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';

const MIB = 1024 * 1024;

export const BootenvPage = () => {
  const { bootenv: name } = useParams({ from: '/inside/bootenvs/$bootenv' });
  const { data, error } = useQuery(reading(bootenv_get, { params: { bootenv: name } }));
  useCrumbs({ label: 'Boot', to: '/boots' }, { label: name });
  if (data === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <span className="row wrap">
          {data.name} <span className="badge">{data.kind}</span> <Bootable {...data} />
        </span>
      }
      lead={data.description}
    >
      {data.missing.length === 0 ? null : (
        <Notice tone="warn">
          <strong>It cannot be booted yet: these files are not there</strong>
          <MissingFiles missing={data.missing} />
          <p className="muted">
            The role provisioner-server, bound to the admin node, registers them;{' '}
            <code>hostwright boot files</code> lists what is there.
          </p>
        </Notice>
      )}
      <div className="grid-side">
        <Card title="Files" flush>
          {data.files.length === 0 ? (
            <Empty icon="boot" title="It needs no files" />
          ) : (
            <Table label="Files" headings={['Path', 'Size', 'SHA-256', 'Since']}>
              {data.files.map((file) => (
                <tr key={file.path}>
                  <td className="mono strong">{file.path}</td>
                  <td className="num nowrap">{(file.size / MIB).toFixed(1)} MiB</td>
                  <td className="mono faint" title={file.sha256}>
                    {file.sha256.slice(0, 16)}
                  </td>
                  <td className="faint">
                    <TimeAgo at={file.updatedAt} />
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </Card>
        <Card title="Facts">
          <dl className="facts">
            <dt>Kernel</dt>
            <dd className="mono">{data.kernel || <span className="faint">none</span>}</dd>
            <dt>Initrds</dt>
            <dd className="mono">
              {data.initrds.join(', ') || <span className="faint">none</span>}
            </dd>
            <dt>Command line</dt>
            <dd className="mono">{data.cmdline || <span className="faint">none</span>}</dd>
            <dt>Installs</dt>
            <dd>
              {data.os === null ? (
                <span className="faint">nothing</span>
              ) : (
                <Link to="/os/$os" params={{ os: data.os }}>
                  {data.os}
                </Link>
              )}
            </dd>
            <dt>Nodes</dt>
            <dd>{data.nodes.toLocaleString('en')}</dd>
          </dl>
        </Card>
      </div>
    </Page>
  );
};
