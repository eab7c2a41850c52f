/** Options that hold everywhere may stand before the command too: `hostwright --json node list`. */
import { COMMANDS, GLOBAL_OPTIONS } from './table/all.ts';

const TAKES_VALUE = new Map(
  GLOBAL_OPTIONS.flatMap(({ flags }) => {
    const name = /--[a-z-]+/.exec(flags)?.[0];
    return name === undefined ? [] : [[name, flags.includes('<')] as const];
  }),
);

const isNoun = (word: string): boolean =>
  COMMANDS.some(({ path }) => path.startsWith(`${word} `)) &&
  !COMMANDS.some(({ path }) => path === word);

export const orderWords = (words: readonly string[]): string[] => {
  const moved: string[] = [];
  let at = 0;
  for (let word = words[at]; word?.startsWith('--') === true; word = words[at]) {
    const takesValue = TAKES_VALUE.get(word.split('=')[0] ?? '');
    if (takesValue === undefined) break;
    const length = takesValue && !word.includes('=') ? 2 : 1;
    moved.push(...words.slice(at, at + length));
    at += length;
  }
  const rest = words.slice(at);
  if (rest.length === 0) return [...words];
  // a noun by itself says what belongs to it, and has no options
  return rest.length === 1 && isNoun(rest[0] ?? '') ? rest : [...rest, ...moved];
};
