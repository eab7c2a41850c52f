/**
 * Dragging nodes onto a role. While the pointer is down every role says whether it would accept,
 * why not, and what else would be pulled in; nothing is changed before the drop.
 */
import type { Answer } from '@hostwright/api';
import { deployment_explain_binding } from '@hostwright/api/nouns/deployment-explain';
import { useQuery } from '@tanstack/react-query';
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { reading } from '../session/client.ts';
import { Icon } from '../ui/icon.tsx';

export type Verdict = Answer<typeof deployment_explain_binding>['roles'][number];

export interface Dragging {
  readonly nodes: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly over: string | undefined;
}

interface DragValue {
  readonly dragging: Dragging | undefined;
  readonly verdictOf: (role: string) => Verdict | undefined;
  /** Called on pointerdown; a drag begins after the pointer has moved a little. */
  readonly begin: (
    event: { readonly clientX: number; readonly clientY: number },
    nodes: readonly string[],
  ) => void;
}

const DragContext = createContext<DragValue>({
  dragging: undefined,
  verdictOf: () => undefined,
  begin: () => {},
});
export const useDrag = (): DragValue => use(DragContext);

const MOVE = 5;

/** Roles mark themselves with data-drop-role; the canvas answers for its columns. */
const roleAt = (x: number, y: number): string | undefined => {
  const found = document
    .elementsFromPoint(x, y)
    .find((element) => element instanceof HTMLElement && element.dataset['dropRole'] !== undefined);
  return found instanceof HTMLElement ? found.dataset['dropRole'] : undefined;
};

export const useVerdicts = (deployment: string, nodes: readonly string[] | undefined) =>
  useQuery({
    ...reading(deployment_explain_binding, {
      params: { deployment },
      body: { nodes: [...(nodes ?? [])].slice(0, 1000) },
    }),
    enabled: nodes !== undefined && nodes.length > 0,
    staleTime: 0,
    gcTime: 10_000,
  });

export const DragProvider = (props: {
  readonly deployment: string;
  readonly onDrop: (role: string, nodes: readonly string[]) => void;
  readonly children: ReactNode;
}) => {
  const { deployment, children } = props;
  const [dragging, setDragging] = useState<Dragging>();
  const verdicts = useVerdicts(deployment, dragging?.nodes);
  const byRole = useMemo(
    () => new Map(verdicts.data?.roles.map((each) => [each.role, each])),
    [verdicts.data],
  );
  const drop = useRef(props.onDrop);
  drop.current = props.onDrop;
  const verdictsNow = useRef(byRole);
  verdictsNow.current = byRole;
  const stop = useRef<() => void>(() => {});
  useEffect(() => () => stop.current(), []);

  const begin = useCallback<DragValue['begin']>((from, nodes) => {
    let last: Dragging | undefined;
    const move = (event: PointerEvent) => {
      if (
        last === undefined &&
        Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < MOVE
      )
        return;
      event.preventDefault();
      last = {
        nodes,
        x: event.clientX,
        y: event.clientY,
        over: roleAt(event.clientX, event.clientY),
      };
      setDragging(last);
    };
    const end = () => {
      stop.current();
      const over = last?.over;
      if (over !== undefined && verdictsNow.current.get(over)?.accepts !== false)
        drop.current(over, nodes);
    };
    const abandon = () => stop.current();
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape') abandon();
    };
    stop.current();
    document.documentElement.classList.add('dragging');
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('keydown', key);
    // the pointer was taken away (a scroll by touch, another window): no pointerup will come
    addEventListener('pointercancel', abandon);
    addEventListener('blur', abandon);
    stop.current = () => {
      document.documentElement.classList.remove('dragging');
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('keydown', key);
      removeEventListener('pointercancel', abandon);
      removeEventListener('blur', abandon);
      setDragging(undefined);
      stop.current = () => {};
    };
  }, []);

  const value = useMemo<DragValue>(
    () => ({ dragging, verdictOf: (role) => byRole.get(role), begin }),
    [dragging, byRole, begin],
  );
  return (
    <DragContext value={value}>
      {children}
      {dragging === undefined ? null : (
        <DragGhost
          dragging={dragging}
          verdict={dragging.over === undefined ? undefined : byRole.get(dragging.over)}
        />
      )}
    </DragContext>
  );
};

/** What a drop would do, in words: used beside the pointer and in the dialog. */
export const VerdictText = ({ verdict }: { readonly verdict: Verdict }) => (
  <div className="stack tight">
    {verdict.accepts ? (
      <span className="verdict good">
        <Icon name="check" /> {verdict.role} would accept
        {verdict.alreadyBound.length > 0 ? ` (${verdict.alreadyBound.length} already bound)` : ''}
      </span>
    ) : (
      <span className="verdict bad">
        <Icon name="cross" /> {verdict.role} would refuse
      </span>
    )}
    {verdict.refusals.slice(0, 5).map((refusal) => (
      <span key={refusal.path + refusal.message} className="muted">
        {refusal.message}
      </span>
    ))}
    {verdict.pulledIn.length === 0 ? null : <span className="label">Also bound with it</span>}
    {verdict.pulledIn.slice(0, 6).map((each) => (
      <span key={`${each.role}/${each.node}`} className="muted">
        <strong>{each.role}</strong> on {each.node}
        <span className="faint"> · {each.reason}</span>
      </span>
    ))}
    {verdict.pulledIn.length > 6 ? (
      <span className="faint">and {verdict.pulledIn.length - 6} more</span>
    ) : null}
  </div>
);

const DragGhost = ({
  dragging,
  verdict,
}: {
  readonly dragging: Dragging;
  readonly verdict: Verdict | undefined;
}) => (
  <div
    className="drag-ghost"
    style={{
      left: Math.min(dragging.x + 14, innerWidth - 330),
      top: Math.min(dragging.y + 14, innerHeight - 200),
    }}
  >
    <span className="row tight">
      <Icon name="node" />
      <strong>
        {dragging.nodes.length === 1 ? dragging.nodes[0] : `${dragging.nodes.length} nodes`}
      </strong>
    </span>
    {dragging.over === undefined ? (
      <span className="faint">Drop on a role. Escape lets go.</span>
    ) : verdict === undefined ? (
      <span className="faint">Asking {dragging.over}…</span>
    ) : (
      <VerdictText verdict={verdict} />
    )}
  </div>
);
