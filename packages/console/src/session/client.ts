/** The one client of the console: same origin, cookie session, CSRF token on every change. */
import {
  createClient,
  ProblemError,
  type CallInput,
  type OperationShape,
  type Answer,
} from '@hostwright/api';
import { session_get, type Me } from '@hostwright/api/nouns/session';
import {
  queryOptions,
  useMutation,
  useQueryClient,
  type UseMutationOptions,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { complain } from '../ui/toast.tsx';

let session: { readonly csrf: string | null; readonly userId: number | null } | undefined;
export const setSession = (me: Pick<Me, 'csrf' | 'userId'>): void => {
  session = me;
};

export const client = createClient({ url: '', csrf: () => session?.csrf ?? undefined });

/**
 * Another tab may have signed in again: then the cookie is new and the token held here is not. For
 * the same person the new one is taken; for another person the page starts anew, because what it
 * shows and offers is not theirs.
 */
const renewSession = async (): Promise<boolean> => {
  const me = await client.call(session_get);
  if (session === undefined || me.csrf === session.csrf) return false;
  if (me.userId !== session.userId) {
    location.reload();
    return false;
  }
  setSession(me);
  return true;
};

/** The cast only drops the conditional tuple: `input` has exactly the type the operation asks for. */
type Send = <const Operation extends OperationShape>(
  operation: Operation,
  input: CallInput<Operation>,
  options?: { readonly signal?: AbortSignal; readonly ifMatch?: string },
) => Promise<Answer<Operation>>;
export const send = (async (...all: Parameters<typeof client.call>) => {
  try {
    return await client.call(...all);
  } catch (error) {
    const refused = error instanceof ProblemError && error.status === 403;
    if (!refused || all[0].method === 'GET' || !(await renewSession())) throw error;
    return client.call(...all);
  }
}) as Send;

/** For a change that is to be refused if the object is no longer what was shown. */
export const unchanged = (shown: { readonly revision: number }) => ({
  ifMatch: `"${shown.revision}"`,
});

/** A read as TanStack Query wants it; the operation's id is what live events invalidate by. */
export const reading = <const Operation extends OperationShape>(
  operation: Operation,
  input: CallInput<Operation>,
) =>
  queryOptions({
    queryKey: [operation.id, input] as const,
    queryFn: ({ signal }) => send(operation, input, { signal }),
  });

export interface Trouble {
  readonly title: string;
  readonly detail: string;
  readonly refusals: readonly {
    readonly code: string;
    readonly path: string;
    readonly message: string;
  }[];
}

/** What happened and what to do, in words. */
export const troubleOf = (error: unknown): Trouble => {
  if (error instanceof ProblemError) {
    const detail =
      error.status === 412 || error.code === 'revision_moved'
        ? `${error.message} Somebody else changed it meanwhile: look again, then repeat.`
        : error.message;
    return { title: sentence(error.problem.title), detail, refusals: error.refusals };
  }
  if (error instanceof TypeError)
    return {
      title: 'The server did not answer',
      detail:
        'Nothing was changed as far as we know. The page tries to reconnect by itself; then repeat.',
      refusals: [],
    };
  return { title: 'Something went wrong here', detail: String(error), refusals: [] };
};

const sentence = (text: string): string =>
  text.slice(0, 1).toUpperCase() + text.slice(1).replaceAll('_', ' ');

/** The same change asked for twice is one: a second click comes before the button is drawn disabled. */
const keyOf = (variables: unknown): string => JSON.stringify(variables) ?? '';

/** A change: errors are said as they come, and what is on screen is read again after it. */
export const useChange = <Variables, Result>(
  run: (variables: Variables) => Promise<Result>,
  options: Omit<UseMutationOptions<Result, Error, Variables>, 'mutationFn'> & {
    readonly quiet?: boolean;
  } = {},
) => {
  const queries = useQueryClient();
  const underWay = useRef(new Set<string>());
  const mutation = useMutation<Result, Error, Variables>({
    ...options,
    mutationFn: run,
    onError: (error, ...rest) => {
      if (options.quiet !== true) {
        const trouble = troubleOf(error);
        complain(
          trouble.title,
          [
            trouble.detail,
            ...trouble.refusals
              .slice(0, 4)
              .map((each) => each.message)
              .filter((message) => !trouble.detail.includes(message)),
          ].join(' '),
        );
      }
      options.onError?.(error, ...rest);
    },
    onSettled: (...all) => {
      underWay.current.delete(keyOf(all[2]));
      void queries.invalidateQueries({ refetchType: 'active' });
      return options.onSettled?.(...all);
    },
  });
  const mutate: typeof mutation.mutate = (...given) => {
    const key = keyOf(given[0]);
    if (underWay.current.has(key)) return;
    underWay.current.add(key);
    mutation.mutate(...given);
  };
  return { ...mutation, mutate };
};
