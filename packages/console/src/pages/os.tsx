/** One operating system: how it is installed, and the files a chosen node would get. */
import { os_get } from '@hostwright/api/nouns/os';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useId } from 'react';
import { Bootable, MissingFiles } from '../boot/missing.tsx';
import { Files, OsPreview } from '../boot/os-preview.tsx';
import { fieldText } from '../form/read-form.ts';
import { NodeNames } from '../node/node-names.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Notice } from '../ui/empty.tsx';
import { Json } from '../ui/json.tsx';
import { LoadingPage } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';

const ChooseNode = ({ node }: { readonly node: string }) => {
  const list = useId();
  const navigate = useNavigate({ from: '/os/$os' });
  return (
    <form
      key={node}
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = fieldText(new FormData(event.currentTarget), 'node').trim();
        void navigate({ search: wanted === '' ? {} : { node: wanted } });
      }}
    >
      <input
        className="input"
        name="node"
        list={list}
        defaultValue={node}
        aria-label="Preview for a node"
        placeholder="Preview for a node"
        autoComplete="off"
      />
      <NodeNames id={list} />
      <button className="btn">Preview</button>
    </form>
  );
};

export const OsPage = () => {
  const { os: name } = useParams({ from: '/inside/os/$os' });
  const { node = '' } = useSearch({ from: '/inside/os/$os' });
  const { data, error } = useQuery(reading(os_get, { params: { os: name } }));
  useCrumbs({ label: 'Boot', to: '/boots' }, { label: name });
  if (data === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <span className="row wrap">
          {data.title} <span className="badge">{data.kind}</span> <Bootable {...data} />
        </span>
      }
      lead="Bound to a node as a role, it is installed with a plan and with consent; here you see what the machine would be told."
      actions={<ChooseNode node={node} />}
    >
      {data.missing.length === 0 ? null : (
        <Notice tone="warn">
          <strong>It cannot be installed yet: these files are not there</strong>
          <MissingFiles missing={data.missing} />
        </Notice>
      )}
      <div className="grid-side">
        <div className="stack">
          {node === '' ? <Files files={data.files} /> : <OsPreview os={name} node={node} />}
        </div>
        <div className="stack">
          <Card title="Facts">
            <dl className="facts">
              <dt>Name</dt>
              <dd className="mono">{data.name}</dd>
              <dt>Family</dt>
              <dd>
                {data.family} {data.version}
              </dd>
              <dt>Boots</dt>
              <dd>
                <Link to="/bootenvs/$bootenv" params={{ bootenv: data.bootenv }}>
                  {data.bootenv}
                </Link>
              </dd>
              <dt>Imported</dt>
              <dd>
                <TimeAgo at={data.importedAt} />
              </dd>
            </dl>
          </Card>
          {Object.keys(data.data).length === 0 ? null : (
            <Card title="Data">
              <Json value={data.data} />
            </Card>
          )}
        </div>
      </div>
    </Page>
  );
};
