import { expect, test } from 'vitest';
import { orderWords } from '../src/order-words.ts';

test('what holds everywhere may stand before the command', () => {
  expect(orderWords(['--data-dir', '/d', 'status'])).toEqual(['status', '--data-dir', '/d']);
  expect(orderWords(['--data-dir=/d', '--json', 'node', 'list'])).toEqual([
    'node',
    'list',
    '--data-dir=/d',
    '--json',
  ]);
});

test('options of a command and unknown ones are left where they are', () => {
  expect(orderWords(['node', 'list', '--json'])).toEqual(['node', 'list', '--json']);
  expect(orderWords(['--nonsense', 'status'])).toEqual(['--nonsense', 'status']);
  expect(orderWords(['--json'])).toEqual(['--json']);
});

test('a noun by itself asks what belongs to it, whatever stood before', () => {
  expect(orderWords(['--data-dir', '/d', 'network'])).toEqual(['network']);
  expect(orderWords(['--json', 'status'])).toEqual(['status', '--json']);
});
