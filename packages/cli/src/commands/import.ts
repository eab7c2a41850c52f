/** A folder is a barclamp and goes into the catalogue; a YAML file is a design and becomes proposals. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '@hostwright/api';
import { barclamp_import } from '@hostwright/api/nouns/barclamp';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { parseDocument } from 'yaml';
import { connect } from '../connect.ts';
import { fromFile } from '../design-file.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { proposeDesign, type Proposed } from '../propose-design.ts';
import { readBarclampFiles } from '../read-barclamp-files.ts';

const importBarclamp = async (
  call: Invocation,
  client: Client,
  folder: string,
): Promise<unknown> => {
  const body = readBarclampFiles(folder);
  const report = await client.call(barclamp_import, { body });
  call.out.line(`barclamp ${report.barclamp} is imported`);
  for (const [what, names] of [
    ['added', report.added],
    ['changed', report.changed],
    ['dropped', report.dropped],
  ] as const)
    if (names.length > 0) call.out.line(`  ${what}: ${names.join(', ')}`);
  if (report.added.length + report.changed.length + report.dropped.length === 0)
    call.out.line('  nothing had changed');
  return report;
};

const LARGEST_FILE = 16 * 1024 * 1024;

const importDesign = async (call: Invocation, client: Client, file: string): Promise<unknown> => {
  if (statSync(file).size > LARGEST_FILE) throw new Failure('usage', `${file} is too large`);
  const document = parseDocument(readFileSync(file, 'utf8'), { uniqueKeys: true });
  if (document.errors.length > 0)
    throw new Failure('usage', `${file} is not valid YAML`, {
      reasons: document.errors.map((error) => error.message.split('\n')[0] ?? ''),
    });
  const read = fromFile(document.toJS({ maxAliasCount: 100 }));
  if (!read.ok) throw new Failure('usage', `${file} is no design file`, { reasons: read.reasons });
  const keep = call.flag('keep');
  const proposed: Proposed[] = [];
  for (const design of read.deployments)
    proposed.push(await proposeDesign(client, design, { keep }));
  const open = proposed.filter((item) => item.snapshot !== null);
  if (call.flag('commit'))
    for (const item of open)
      await client.call(snapshot_commit, { params: { snapshot: item.snapshot ?? 0 }, body: {} });
  for (const item of proposed)
    call.out.line(
      item.changes === 0
        ? `${item.deployment}: nothing to change`
        : `${item.deployment}: ${item.changes} changes ${call.flag('commit') ? 'committed' : `proposed; see \`hostwright plan ${item.deployment}\``}`,
    );
  return { proposed };
};

export const run = async (call: Invocation): Promise<void> => {
  const found = call.manyArgs('paths').map((given) => {
    const path = resolve(given);
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry === undefined) throw new Failure('usage', `there is no file or folder ${path}`);
    return { path, load: entry.isDirectory() ? importBarclamp : importDesign };
  });
  const client = connect(call);
  const answers: unknown[] = [];
  for (const { path, load } of found) answers.push(await load(call, client, path));
  call.out.answer(answers.length === 1 ? answers[0] : answers, () => {});
};
