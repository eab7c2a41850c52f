import { expect, test } from 'vitest';
import { buildMatrix, lookAt, setCell, type MatrixAnswer } from './matrix-model.ts';

const answer: MatrixAnswer = {
  position: '1.1',
  states: ['proposed', 'blocked', 'todo', 'transition', 'active', 'error'],
  nodes: ['a1', 'b2', 'a3'].map((name, at) => ({
    id: at + 1,
    name,
    alive: true,
    available: true,
    admin: false,
  })),
  roles: ['web', 'db'].map((name, at) => ({
    id: at + 1,
    name,
    milestone: false,
    cohort: at,
    inDeployment: true,
  })),
  ids: [11, 12, 0],
  node: [0, 2, 1],
  role: [0, 1, 0],
  state: [4, 5, 0],
  bits: [0, 0, 0],
};

test('each noderole stands in the cell of its node and role', () => {
  const matrix = buildMatrix(answer, '');
  expect([0, 1, 2, 3, 4, 5].map((cell) => lookAt(matrix, cell))).toEqual([
    'active',
    undefined,
    'proposed',
    undefined,
    undefined,
    'error',
  ]);
});

test('a search keeps cells with their nodes', () => {
  const matrix = buildMatrix(answer, 'a');
  expect(matrix.rows.map((row) => row.name)).toEqual(['a1', 'a3']);
  expect(lookAt(matrix, 3)).toBe('error');
});

test('an event changes its own cell, and one for another deployment none', () => {
  const matrix = buildMatrix(answer, '');
  expect(setCell(matrix, 12, 'active')).toBe(5);
  expect(lookAt(matrix, 5)).toBe('active');
  expect(setCell(matrix, 99, 'active')).toBeUndefined();
});
