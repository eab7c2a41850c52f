import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { signOut, useMe } from '../session/me.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { readTheme, setTheme, type Theme } from './theme.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const SAID: Readonly<Record<Theme, string>> = {
  system: 'as the system',
  light: 'light',
  dark: 'dark',
};

export const UserMenu = () => {
  const me = useMe();
  const navigate = useNavigate();
  const [theme, keepTheme] = useState(readTheme);
  if (me === null) return null;
  return (
    <div className="shell-foot">
      <Menu
        label={`Signed in as ${me.name}`}
        className="btn quiet grow"
        button={
          <>
            <Icon name="user" />
            <span className="truncate">{me.name}</span>
            <span className="badge end">{me.role}</span>
          </>
        }
      >
        <button onClick={() => void navigate({ to: '/settings' })}>
          <Icon name="settings" /> Settings and password
        </button>
        <hr />
        <button onClick={signOut}>
          <Icon name="out" /> Sign out
        </button>
      </Menu>
      <button
        className="btn quiet icon"
        aria-label={`Theme: ${SAID[theme]}. Change to ${SAID[NEXT[theme]]}`}
        title={`Theme: ${SAID[theme]}`}
        onClick={() => {
          setTheme(NEXT[theme]);
          keepTheme(NEXT[theme]);
        }}
      >
        <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
      </button>
    </div>
  );
};
