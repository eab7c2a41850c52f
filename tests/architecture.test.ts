/** The direction of the arrows: which package may import which. ARCHITECTURE.md shows the same table. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  api: ['core'],
  engine: ['core'],
  postgres: [],
  jigs: ['core', 'engine'],
  providers: ['core', 'engine'],
  boot: ['core', 'engine', 'providers'],
  agent: [],
  server: ['core', 'api', 'engine', 'jigs', 'providers', 'boot', 'agent'],
  simulator: ['core', 'api'],
  console: ['core', 'api'],
  cli: ['core', 'api', 'engine', 'server', 'postgres', 'simulator', 'boot', 'jigs'],
  testkit: ['core', 'engine', 'server', 'postgres', 'jigs'],
};

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => join(entry.parentPath, entry.name));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    (match) => match[1] ?? '',
  );

test.each(Object.keys(MAY_IMPORT))('packages/%s imports only what lies below it', (name) => {
  const allowed = new Set((MAY_IMPORT[name] ?? []).map((target) => `@hostwright/${target}`));
  const wrong = sources(join(ROOT, 'packages', name, 'src')).flatMap((file) =>
    file.endsWith('.test.ts')
      ? []
      : importsOf(file)
          .filter((target) => target.startsWith('@hostwright/'))
          .map((target) => target.split('/').slice(0, 2).join('/'))
          .filter((target) => !allowed.has(target) && target !== `@hostwright/${name}`)
          .map((target) => `${file.slice(ROOT.length)} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test('core does no I/O: no node: module, no database, no clock', () => {
  const wrong = sources(join(ROOT, 'packages/core/src'))
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const outside = importsOf(file).filter((target) =>
        /^(node:(?!crypto)|pg$|kysely)/.test(target),
      );
      const impure = /Date\.now\(|new Date\(\)|Math\.random\(|process\./.test(text)
        ? ['a clock, randomness or process']
        : [];
      return [...outside, ...impure].map((what) => `${file.slice(ROOT.length)}: ${what}`);
    });
  expect(wrong).toEqual([]);
});

test('every package has one index and no folder called utils, helpers, common, shared, manager or service', () => {
  const wrong = Object.keys(MAY_IMPORT).flatMap((name) =>
    sources(join(ROOT, 'packages', name, 'src'))
      .map((file) => file.slice(join(ROOT, 'packages').length + 1))
      .filter(
        (file) =>
          /\/(utils?|helpers?|common|shared|managers?|services?)(\/|\.tsx?$)/.test(file) ||
          /src\/.+\/index\.tsx?$/.test(file),
      ),
  );
  expect(wrong).toEqual([]);
});
