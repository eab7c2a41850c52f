/**
 * barclamp.yml from text, distrusted: bounded in size, no key twice, no alias bombs, every fault
 * with its line or its field.
 */
import { HostwrightError, parseManifest, type Manifest, type Refusal } from '@hostwright/core';
import { parseDocument } from 'yaml';

export const MANIFEST_LIMIT = 1024 * 1024;
/** Real manifests use a handful of aliases; a bomb needs thousands. */
const ALIAS_LIMIT = 100;

const MOST_REASONS = 20;

/** A document that is nonsense throughout gives a reason per line: nobody reads hundreds. */
const capRefusals = (refusals: readonly Refusal[]): readonly Refusal[] =>
  refusals.length <= MOST_REASONS
    ? refusals
    : [
        ...refusals.slice(0, MOST_REASONS),
        { code: 'more', path: '', message: `and ${refusals.length - MOST_REASONS} more` },
      ];

export const badManifest = (refusals: readonly Refusal[]): HostwrightError =>
  new HostwrightError('bad_input', {
    message: `barclamp.yml: ${refusals
      .slice(0, 5)
      .map((refusal) => refusal.message)
      .join('; ')}${refusals.length > 5 ? `; and ${refusals.length - 5} more` : ''}`,
    refusals: capRefusals(refusals),
  });

const fault = (code: string, message: string): HostwrightError =>
  badManifest([{ code, path: 'barclamp.yml', message }]);

export const readManifest = (text: string): Manifest => {
  if (text.length > MANIFEST_LIMIT)
    throw fault('too_large', `it is larger than ${MANIFEST_LIMIT / 1024} KB`);
  const document = parseDocument(text, { uniqueKeys: true, strict: true, prettyErrors: true });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0)
    throw badManifest(
      problems.slice(0, 50).map((problem) => ({
        code: problem.code === 'DUPLICATE_KEY' ? 'duplicate_key' : 'yaml',
        path: `line ${problem.linePos?.[0].line ?? '?'}`,
        message: (problem.message.split('\n')[0] ?? '').slice(0, 300),
      })),
    );
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: ALIAS_LIMIT });
  } catch (error) {
    throw fault(
      'alias_bomb',
      error instanceof Error ? error.message : 'aliases cannot be resolved',
    );
  }
  const result = parseManifest(value);
  if (!result.ok) throw badManifest(result.refusals);
  return result.manifest;
};
