import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCandidates } from '../src/candidates.ts';
import { EXIT } from '../src/failure.ts';
import { fromFile, toFile } from '../src/design-file.ts';
import { buildProgram } from '../src/program.ts';
import { renderReference } from '../src/render-reference.ts';
import { COMMANDS, GLOBAL_OPTIONS, SECTIONS } from '../src/table/all.ts';
import { renderTable } from '../src/table-text.ts';

test('docs/reference/cli.md says what the program says; node scripts/gen-cli.ts writes it', () => {
  const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');
  expect(page).toBe(renderReference());
});

test.each(COMMANDS.map((command) => [command.path, command] as const))(
  '%s can be loaded, and its noun is listed',
  async (path, command) => {
    const { run } = await command.load();
    expect(run).toBeTypeOf('function');
    const nouns = SECTIONS.flatMap((section) => section.nouns.map((noun) => noun.name));
    expect(nouns).toContain(path.split(' ')[0]);
  },
);

test('exit codes are distinct, and the program can be built', () => {
  const codes = Object.values(EXIT).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  expect(buildProgram().commands.length).toBeGreaterThan(20);
});

const complete = (...words: string[]) =>
  findCandidates({ commands: COMMANDS, globals: GLOBAL_OPTIONS }, words);

test('completion offers nouns, verbs, options and what values are about', () => {
  expect(complete('')).toMatchObject({
    kind: 'words',
    words: expect.arrayContaining(['up', 'node']),
  });
  expect(complete('')).not.toMatchObject({ words: expect.arrayContaining(['complete']) });
  expect(complete('node', '')).toMatchObject({ words: expect.arrayContaining(['list', 'label']) });
  expect(complete('node', 'show', '')).toEqual({ kind: 'names', of: 'node' });
  expect(complete('snapshot', 'bind', 'demo', '')).toEqual({ kind: 'names', of: 'role' });
  expect(complete('snapshot', 'bind', 'demo', 'web', 'n1', '')).toEqual({
    kind: 'names',
    of: 'node',
  });
  expect(complete('runs', '-d', '')).toEqual({ kind: 'names', of: 'deployment' });
  expect(complete('runs', '-d', 'demo', '--')).toMatchObject({
    words: expect.arrayContaining(['--live', '--json', '--context']),
  });
  expect(complete('up', '--')).not.toMatchObject({ words: expect.arrayContaining(['--context']) });
  expect(complete('completion', '')).toEqual({ kind: 'words', words: ['bash', 'zsh', 'fish'] });
  expect(complete('restore', '')).toEqual({ kind: 'names', of: 'file' });
  expect(complete('no', 'such', '')).toEqual({ kind: 'words', words: [] });
});

test('a table fits the terminal, marks what it cut, and obeys no control characters', () => {
  const rows = [{ name: 'a'.repeat(60), note: 'red\u001b[31m\nnew\tline' }];
  const text = renderTable(
    [
      { title: 'NAME', cell: (row: { name: string; note: string }) => row.name },
      { title: 'NOTE', cell: (row) => row.note },
    ],
    rows,
    { width: 40, head: (head) => head },
  );
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  expect(text).toContain('…');
  expect(text).toContain('red new line');
  expect(text).not.toContain('\u001b');
});

test('a design file says again what it was made from', () => {
  const design = [
    {
      name: 'shop',
      parent: 'prod',
      description: 'The shop',
      data: { region: 'eu' },
      roles: [
        { role: 'db', data: {} },
        { role: 'web', data: { port: 80 } },
      ],
      bindings: [
        { role: 'db', node: 'n1', data: { size: 3 } },
        { role: 'web', node: 'n1', data: {} },
        { role: 'web', node: 'n2', data: {} },
      ],
    },
  ];
  expect(fromFile(toFile(design))).toEqual({ ok: true, deployments: design });
});

test('a file that is no design names every fault', () => {
  const read = fromFile({ hostwright: 1, deployments: [{ nam: 'x' }, { name: 'y', roles: 3 }] });
  expect(read.ok).toBe(false);
  expect(read.ok ? [] : read.reasons.length).toBeGreaterThan(1);
});
