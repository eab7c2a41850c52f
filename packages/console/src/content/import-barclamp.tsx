import { barclamp_import } from '@hostwright/api/nouns/barclamp';
import { useId, useState, type FormEvent } from 'react';
import { fieldText } from '../form/read-form.ts';
import { send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { say } from '../ui/toast.tsx';

/** Imports a folder that the server can read; the same content again changes nothing. */
export const ImportBarclamp = ({
  folder = '',
  label = 'Import barclamp',
}: {
  readonly folder?: string;
  readonly label?: string;
}) => {
  const may = useMay('admin');
  const [open, setOpen] = useState(false);
  const id = useId();
  const run = useChange((path: string) => send(barclamp_import, { body: { folder: path } }), {
    quiet: true,
    onSuccess: (report) => {
      say(
        `${report.barclamp} imported`,
        `${report.added.length} added, ${report.changed.length} changed, ${report.dropped.length} dropped, ${report.unchanged.length} unchanged`,
      );
      setOpen(false);
    },
  });
  if (!may) return null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    run.mutate(fieldText(new FormData(event.currentTarget), 'folder'));
  };
  return (
    <>
      <button className="btn" onClick={() => setOpen(true)}>
        <Icon name="plus" /> {label}
      </button>
      {open ? (
        <Dialog
          title="Import a barclamp"
          onClose={() => setOpen(false)}
          footer={
            <button className="btn primary" form="import-barclamp" disabled={run.isPending}>
              Import
            </button>
          }
        >
          <form id="import-barclamp" className="stack" onSubmit={submit}>
            {run.error === null ? null : <Trouble error={run.error} />}
            <div className="field">
              <label htmlFor={id}>Folder on the server</label>
              <input
                id={id}
                className="input mono"
                name="folder"
                required
                defaultValue={folder}
                autoFocus
              />
              <span className="hint">
                It holds a barclamp.yml. Everything in it is checked before anything is changed.
              </span>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
};
