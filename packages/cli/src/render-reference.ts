/** docs/reference/cli.md, made from the table of commands: what help says, in one page. */
import { EXIT } from './failure.ts';
import type { CommandSpec, OptionSpec } from './spec.ts';
import { COMMANDS, GLOBAL_OPTIONS, SECTIONS } from './table/all.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const usage = (command: CommandSpec): string =>
  [
    'hostwright',
    command.path,
    ...(command.args ?? []).map((arg) => {
      const name = arg.many === true ? `${arg.name}...` : arg.name;
      return arg.optional === true ? `[${name}]` : `<${name}>`;
    }),
    ...((command.options ?? []).length > 0 ? ['[options]'] : []),
  ].join(' ');

const optionRow = (option: OptionSpec): string => {
  const more = [
    option.many === true && 'may be repeated',
    option.choices !== undefined && `one of ${option.choices.join(', ')}`,
    option.default !== undefined && `${option.default} if not given`,
  ].filter(Boolean);
  const note = more.length > 0 ? ` (${more.join('; ')})` : '';
  return `| \`${cell(option.flags)}\` | ${cell(option.summary + note)} |`;
};

const table = (head: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : ['', head, '|---|---|', ...rows];

const section = (command: CommandSpec): string[] => [
  `### \`${usage(command)}\``,
  '',
  `${command.summary[0]?.toUpperCase() ?? ''}${command.summary.slice(1)}.`,
  ...(command.details === undefined ? [] : ['', command.details]),
  ...table(
    '| argument | |',
    (command.args ?? []).map((arg) => `| \`${arg.name}\` | ${cell(arg.summary)} |`),
  ),
  ...table('| option | |', (command.options ?? []).map(optionRow)),
  ...(command.examples === undefined ? [] : ['', '```sh', ...command.examples, '```']),
  '',
];

export const renderReference = (): string =>
  [
    '# The command line',
    '',
    '<!-- Written by scripts/gen-cli.ts from packages/cli/src/table. Do not edit. -->',
    '',
    'From a clone, `npm run hostwright -- COMMAND`, or put `packages/cli/bin` on your PATH.',
    '`hostwright completion bash|zsh|fish` prints a completion script.',
    '',
    '## Every command takes',
    ...table(
      '| option | |',
      GLOBAL_OPTIONS.map((option) =>
        optionRow(
          option.local
            ? option
            : {
                ...option,
                summary: `${option.summary}; not for commands that only concern this machine`,
              },
        ),
      ),
    ),
    '',
    'Which server is meant, first found wins: `--url` and `--token` (`HOSTWRIGHT_URL`, `HOSTWRIGHT_TOKEN`, `HOSTWRIGHT_CA`),',
    '`--context`, the data folder named by `--data-dir` or `HOSTWRIGHT_DATA_DIR`, the context in use, the default data folder.',
    'Tables are for people and fit the terminal; scripts use `--json`. Colours only on a terminal and never with `NO_COLOR`.',
    'With `--json`, errors are one JSON object on standard error: `error`, `message`, `advice`, `reasons`.',
    '',
    '## Exit codes',
    '',
    '| code | name | meaning |',
    '|---|---|---|',
    ...Object.entries(EXIT).map(([name, { code, text }]) => `| ${code} | \`${name}\` | ${text} |`),
    '',
    ...SECTIONS.flatMap(({ title, nouns }) => [
      `## ${title.replace(/:$/, '')}`,
      '',
      ...nouns.flatMap((noun) =>
        COMMANDS.filter(
          (command) =>
            !command.hidden &&
            (command.path === noun.name || command.path.startsWith(`${noun.name} `)),
        ).flatMap(section),
      ),
    ]),
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
