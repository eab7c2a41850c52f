/** Ctrl+K: go to any page, node, deployment or role by typing a part of its name. */
import { deployment_list } from '@hostwright/api/nouns/deployment';
import { role_list } from '@hostwright/api/nouns/role';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type KeyboardEvent } from 'react';
import { LOOK_CODES } from '../fleet/columns.ts';
import { useFleet } from '../live/fleet-store.ts';
import { reading } from '../session/client.ts';
import { mayAs, signOut, useMe } from '../session/me.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { LOOK_LABEL } from '../ui/state.tsx';
import { PAGE_GROUPS } from './pages.ts';

interface Hit {
  readonly key: string;
  readonly icon: IconName;
  readonly label: string;
  readonly detail: string;
  readonly to: string;
}

const MOST = 12;
const SIGN_OUT = 'sign-out';

const useHits = (text: string): readonly Hit[] => {
  const store = useFleet();
  const me = useMe();
  const deployments = useQuery(reading(deployment_list, {})).data?.items;
  const roles = useQuery(reading(role_list, { query: { limit: 1000 } })).data?.items;
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const hits: Hit[] = [];
    const add = (hit: Hit) => {
      if (hits.length < MOST * 3 && hit.label.toLowerCase().includes(wanted)) hits.push(hit);
    };
    for (const { pages } of PAGE_GROUPS)
      for (const page of pages.filter((each) => mayAs(me, each.needs)))
        add({ key: page.to, icon: page.icon, label: page.label, detail: 'page', to: page.to });
    add({ key: SIGN_OUT, icon: 'out', label: 'Sign out', detail: me?.name ?? '', to: '' });
    for (const each of deployments ?? [])
      add({
        key: `d${each.id}`,
        icon: 'deployment',
        label: each.name,
        detail: 'deployment',
        to: `/deployments/${each.name}`,
      });
    for (const each of roles ?? [])
      if (wanted !== '')
        add({
          key: `r${each.id}`,
          icon: 'role',
          label: each.name,
          detail: 'role',
          to: `/roles/${each.name}`,
        });
    const { columns } = store;
    const size = wanted === '' ? 0 : columns.size;
    for (let at = 0; at < size && hits.length < MOST * 3; at += 1) {
      const name = columns.name[at] ?? '';
      add({
        key: `n${columns.id[at]}`,
        icon: 'node',
        label: name,
        detail: `node · ${LOOK_LABEL[LOOK_CODES[columns.look[at] ?? 0] ?? 'down'].toLowerCase()}`,
        to: `/nodes/${name}`,
      });
    }
    const starts = (hit: Hit) => (hit.label.toLowerCase().startsWith(wanted) ? 0 : 1);
    // with nothing typed this is the menu of a phone: every page is there
    const most = wanted === '' ? MOST * 2 : MOST;
    return hits.sort((a, b) => starts(a) - starts(b)).slice(0, most);
  }, [text, deployments, roles, store, me]);
};

export const CommandPalette = ({ onClose }: { readonly onClose: () => void }) => {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const hits = useHits(text);
  const navigate = useNavigate();
  useEffect(() => setAt(0), [text]);
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    onClose();
    if (hit.key === SIGN_OUT) signOut();
    else void navigate({ to: hit.to });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') open(hits[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        className="input"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-hits"
        aria-activedescendant={hits[at] === undefined ? undefined : `hit-${at}`}
        aria-label="Name of a page, node, deployment or role"
        placeholder="A page, node, deployment or role"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKey}
      />
      <ul className="palette" id="palette-hits" role="listbox" aria-label="What was found">
        {hits.map((hit, place) => (
          <li
            key={hit.key}
            id={`hit-${place}`}
            role="option"
            aria-selected={place === at}
            onPointerMove={() => setAt(place)}
            onClick={() => open(hit)}
          >
            <Icon name={hit.icon} />
            <span className="truncate">{hit.label}</span>
            <span className="faint end nowrap">{hit.detail}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 ? <p className="muted">Nothing has “{text}” in its name.</p> : null}
    </Dialog>
  );
};

export const useCommandPalette = (): readonly [boolean, (open: boolean) => void] => {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        setOpen(true);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return [open, setOpen];
};
