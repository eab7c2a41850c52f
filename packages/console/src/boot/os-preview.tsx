/** The files of an OS template, as they are or as one node would get them. */
import { os_preview } from '@hostwright/api/nouns/os';
import { useQuery } from '@tanstack/react-query';
import { reading } from '../session/client.ts';
import { Notice } from '../ui/empty.tsx';
import { Json } from '../ui/json.tsx';
import { Loaded } from '../ui/loaded.tsx';

interface TextFile {
  readonly name: string;
  readonly text: string;
}

export const Files = ({ files }: { readonly files: readonly TextFile[] }) =>
  files.map((file) => (
    <details key={file.name} className="card" open={file === files[0]}>
      <summary className="summary mono">{file.name}</summary>
      <pre className="file-text scroll" tabIndex={0} aria-label={file.name}>
        {file.text}
      </pre>
    </details>
  ));

export const OsPreview = ({ os, node }: { readonly os: string; readonly node: string }) => {
  const preview = useQuery(reading(os_preview, { params: { os }, query: { node } }));
  return (
    <Loaded read={preview}>
      {(data) => (
        <>
          {data.refusals.length === 0 ? null : (
            <Notice tone="bad">
              <strong>It cannot be installed on {data.node} as things are</strong>
              <ul>
                {data.refusals.map((refusal) => (
                  <li key={refusal.path + refusal.message}>{refusal.message}</li>
                ))}
              </ul>
            </Notice>
          )}
          {data.refusals.length > 0 ? null : (
            <Notice tone="info">
              As {data.node} would get it,{' '}
              {data.noderoleId === null
                ? 'with the defaults of the role'
                : 'with the attributes of its noderole'}
              . Tokens and password hashes are not shown.
            </Notice>
          )}
          <Files files={data.files} />
          {data.plan === null ? null : (
            <details className="card">
              <summary className="summary">What it was made from</summary>
              <div className="body-pad">
                <Json value={data.plan} />
              </div>
            </details>
          )}
        </>
      )}
    </Loaded>
  );
};
