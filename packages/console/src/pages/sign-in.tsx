/** Sign-in by name and password, or by the one-time link that `hostwright up` prints. */
import { ProblemError } from '@hostwright/api';
import { session_create, session_link_use, type Me } from '@hostwright/api/nouns/session';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { fieldText } from '../form/read-form.ts';
import { send, setSession, troubleOf } from '../session/client.ts';
import { comeBackTo, meQuery } from '../session/me.ts';
import { Notice } from '../ui/empty.tsx';
import { Mark } from '../ui/icon.tsx';

/** The token may stand behind # too, where no proxy's log sees it. */
const linkToken = (search: string | undefined): string | undefined =>
  search ?? new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;

const said = (error: unknown): string =>
  error instanceof ProblemError && error.status === 401
    ? 'Name or password is wrong, or the link was used before. Links work once, for 15 minutes: `hostwright user link NAME` makes a new one.'
    : `${troubleOf(error).title}. ${troubleOf(error).detail}`;

export const SignInPage = () => {
  const search = useSearch({ from: '/signin' });
  const token = linkToken(search.token);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(token !== undefined);
  const [wrong, setWrong] = useState<string>();
  const name = useId();
  const password = useId();
  const used = useRef(false);

  const enter = (answer: Promise<Me>) => {
    setBusy(true);
    setWrong(undefined);
    answer.then(
      async (me) => {
        setSession(me);
        queries.clear();
        queries.setQueryData(meQuery.queryKey, me);
        await navigate({ href: comeBackTo(search.to, location.origin), replace: true });
      },
      (error: unknown) => {
        setWrong(said(error));
        setBusy(false);
      },
    );
  };

  useEffect(() => {
    document.title = 'Sign in · Hostwright';
    if (token === undefined || used.current) return;
    used.current = true;
    enter(send(session_link_use, { body: { token } }));
    // only once, for the token the page was opened with
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [token]);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    enter(
      send(session_create, {
        body: { name: fieldText(form, 'name'), password: fieldText(form, 'password') },
      }),
    );
  };

  return (
    <main className="sign-in">
      <form className="sign-in-box" onSubmit={submit}>
        <div className="sign-in-mark">
          <Mark />
        </div>
        <h1>Sign in to Hostwright</h1>
        <p className="muted">From “it exists” to “it does its job”.</p>
        {wrong === undefined ? null : <Notice tone="bad">{wrong}</Notice>}
        <div className="field">
          <label htmlFor={name}>Name</label>
          <input
            id={name}
            className="input"
            name="name"
            autoComplete="username"
            autoCapitalize="none"
            required
            autoFocus
            disabled={busy}
          />
        </div>
        <div className="field">
          <label htmlFor={password}>Password</label>
          <input
            id={password}
            className="input"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            disabled={busy}
          />
        </div>
        <button className="btn primary" disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
        <p className="faint">
          No password yet? Run <code>hostwright user link NAME</code> on the admin node: it prints a
          link that works once.
        </p>
      </form>
    </main>
  );
};
