import { node_patch, type Node } from '@hostwright/api/nouns/node';
import { useState, type FormEvent } from 'react';
import { fieldText } from '../form/read-form.ts';
import { send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Icon } from '../ui/icon.tsx';
import { Card } from '../ui/page.tsx';

/** Labels group the fleet: rack, class, site. */
export const Labels = ({ node }: { readonly node: Node }) => {
  const may = useMay('operator', [node.deploymentId]);
  const [adding, setAdding] = useState(false);
  const change = useChange((labels: Record<string, string | null>) =>
    send(node_patch, { params: { node: node.name }, body: { labels } }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change.mutate(
      { [fieldText(form, 'key')]: fieldText(form, 'value') },
      { onSuccess: () => setAdding(false) },
    );
  };
  return (
    <Card
      title="Labels"
      extra={
        may ? (
          <button
            className="btn quiet icon small"
            aria-label="Add a label"
            onClick={() => setAdding(!adding)}
          >
            <Icon name="plus" />
          </button>
        ) : undefined
      }
    >
      <div className="stack">
        {Object.keys(node.labels).length === 0 && !adding ? (
          <p className="faint">
            None. A label such as rack=r12 lets the fleet be grouped and searched by it.
          </p>
        ) : null}
        <div className="row wrap">
          {Object.entries(node.labels).map(([key, value]) => (
            <span key={key} className="badge outline">
              {key}={value}
              {may ? (
                <button
                  className="badge-x"
                  aria-label={`Take label ${key} off`}
                  onClick={() => change.mutate({ [key]: null })}
                >
                  <Icon name="cross" size={10} />
                </button>
              ) : null}
            </span>
          ))}
        </div>
        {adding ? (
          <form className="row" onSubmit={submit}>
            <input
              className="input"
              name="key"
              aria-label="Label"
              placeholder="rack"
              required
              autoFocus
            />
            <input className="input" name="value" aria-label="Value" placeholder="r12" required />
            <button className="btn">Add</button>
          </form>
        ) : null}
      </div>
    </Card>
  );
};
