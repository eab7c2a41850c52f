/** What could stand at the end of a command line: decided from the table alone, without running anything. */
import type { ArgSpec, CommandSpec, Completes, OptionSpec } from './spec.ts';

export type Candidates =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'names'; readonly of: Completes };

interface Table {
  readonly commands: readonly CommandSpec[];
  readonly globals: readonly (OptionSpec & { readonly local: boolean })[];
}

const longOf = (option: OptionSpec): string => /--[\w-]+/.exec(option.flags)?.[0] ?? '';
const shortOf = (option: OptionSpec): string | undefined => /^-\w(?=,)/.exec(option.flags)?.[0];
const takesValue = (option: OptionSpec): boolean => /[<[]/.test(option.flags);

const offered = (spec: ArgSpec | OptionSpec): Candidates => {
  if (spec.choices !== undefined) return { kind: 'words', words: spec.choices };
  if (spec.completes !== undefined) return { kind: 'names', of: spec.completes };
  return { kind: 'words', words: [] };
};

const verbs = (table: Table, noun: string): string[] =>
  table.commands
    .filter((command) => command.path.startsWith(`${noun} `))
    .map((command) => command.path.slice(noun.length + 1));

/** `words` are those after `hostwright`; the last one is being typed and may be empty. */
export const findCandidates = (table: Table, words: readonly string[]): Candidates => {
  const typed = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const [noun = '', verb = ''] = typed;
  if (typed.length === 0) {
    const nouns = table.commands
      .filter((command) => !command.hidden)
      .map((command) => command.path.split(' ')[0] ?? '');
    return { kind: 'words', words: [...new Set(nouns), '--help', '--version'] };
  }
  const alone = table.commands.find((command) => command.path === noun);
  if (alone === undefined && typed.length === 1)
    return { kind: 'words', words: verbs(table, noun) };
  const command = alone ?? table.commands.find((each) => each.path === `${noun} ${verb}`);
  if (command === undefined) return { kind: 'words', words: [] };

  const globals = table.globals.filter((option) => option.local || command.local !== true);
  const options = [...(command.options ?? []), ...globals];
  const find = (word: string): OptionSpec | undefined =>
    options.find((option) => longOf(option) === word || shortOf(option) === word);
  const before = typed.at(-1) ?? '';
  const open = before.startsWith('-') ? find(before) : undefined;
  if (open !== undefined && takesValue(open)) return offered(open);
  if (last.startsWith('-')) return { kind: 'words', words: [...options.map(longOf), '--help'] };

  const rest = typed.slice(alone === undefined ? 2 : 1);
  const positional = rest.filter((word, at) => {
    const previous = find(rest[at - 1] ?? '');
    return !word.startsWith('-') && !(previous !== undefined && takesValue(previous));
  });
  const args = command.args ?? [];
  const arg = args[positional.length] ?? (args.at(-1)?.many === true ? args.at(-1) : undefined);
  return arg === undefined ? { kind: 'words', words: options.map(longOf) } : offered(arg);
};
