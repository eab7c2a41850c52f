import { expect, test } from 'vitest';
import {
  draw,
  shapeOf,
  traceBlocked,
  type GraphAnswer,
  type GraphNoderole,
} from './graph-model.ts';

const noderole = (id: number, role: number, more: Partial<GraphNoderole> = {}): GraphNoderole => ({
  id,
  node: `n${id}`,
  nodeId: id,
  role: `role-${role}`,
  roleId: role,
  deploymentId: 1,
  state: 'active',
  cohort: role,
  degraded: false,
  drifted: false,
  blockedBy: null,
  reason: '',
  foreign: false,
  ...more,
});

const answer: GraphAnswer = {
  position: '1.1',
  truncated: false,
  noderoles: [
    noderole(1, 1, { state: 'error' }),
    noderole(2, 2, { state: 'blocked', blockedBy: 1 }),
    noderole(3, 3, { state: 'blocked', blockedBy: 1 }),
    noderole(4, 2),
  ],
  edges: [
    [1, 2, false],
    [2, 3, false],
    [4, 3, false],
  ],
};

test('a blocked noderole is traced back to its cause and to nothing else', () => {
  const drawn = draw(answer, false);
  const trace = traceBlocked(answer, drawn, undefined);
  expect([...trace.causes]).toEqual(['noderole-1']);
  expect([...trace.edges].sort()).toEqual(['noderole-1>noderole-2', 'noderole-2>noderole-3']);
});

test('drawn by role, noderoles of one role are one box with the worst state', () => {
  const drawn = draw(answer, true);
  const box = drawn.boxes.find((each) => each.id === 'role-2');
  expect(box).toMatchObject({ count: 2, state: 'blocked' });
  expect(drawn.edges.map((edge) => edge.id).sort()).toEqual(['role-1>role-2', 'role-2>role-3']);
});

test('a change of state does not ask for a new layout', () => {
  const later = {
    ...answer,
    noderoles: answer.noderoles.map((each) => ({ ...each, state: 'active' as const })),
  };
  expect(shapeOf(draw(later, false))).toBe(shapeOf(draw(answer, false)));
});
