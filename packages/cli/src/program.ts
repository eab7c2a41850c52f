/** Builds commander's program from the table of commands, and loads a command only when it is called. */
import { Argument, Command, CommanderError, Option } from 'commander';
import { Failure } from './failure.ts';
import { createInvocation } from './invocation.ts';
import type { ArgSpec, CommandSpec, NounSpec, OptionSpec } from './spec.ts';
import { COMMANDS, GLOBAL_OPTIONS, SECTIONS } from './table/all.ts';
import { version } from './version.ts';

const collect = (value: string, before: unknown): string[] => [
  ...(Array.isArray(before) ? before.map(String) : []),
  value,
];

export const makeOption = (spec: OptionSpec): Option => {
  const option = new Option(spec.flags, spec.summary);
  if (spec.choices !== undefined) option.choices([...spec.choices]);
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.many === true) option.argParser(collect);
  return option;
};

const makeArgument = (spec: ArgSpec): Argument => {
  const name = spec.many === true ? `${spec.name}...` : spec.name;
  const argument = new Argument(spec.optional === true ? `[${name}]` : `<${name}>`, spec.summary);
  if (spec.choices !== undefined) argument.choices([...spec.choices]);
  return argument;
};

const addCommand = (under: Command, name: string, spec: CommandSpec): void => {
  const command = under.command(name, { hidden: spec.hidden === true });
  command.summary(spec.summary);
  command.description([spec.summary, spec.details].filter(Boolean).join('\n\n'));
  for (const arg of spec.args ?? []) command.addArgument(makeArgument(arg));
  for (const option of spec.options ?? []) command.addOption(makeOption(option));
  command.optionsGroup('Everywhere:');
  for (const option of GLOBAL_OPTIONS.filter((each) => !spec.local || each.local))
    command.addOption(makeOption(option));
  if (spec.examples !== undefined)
    command.addHelpText(
      'after',
      `\nExamples:\n${spec.examples.map((text) => `  ${text}`).join('\n')}`,
    );
  command.action(async (...given: unknown[]) => {
    const values = given.slice(0, spec.args?.length ?? 0);
    const args = new Map(
      (spec.args ?? []).map((arg, at) => [arg.name, values[at] as string | string[] | undefined]),
    );
    const { run } = await spec.load();
    await run(createInvocation({ args, options: command.opts() }));
  });
};

const addNoun = (program: Command, noun: NounSpec): void => {
  const alone = COMMANDS.find((command) => command.path === noun.name);
  if (alone !== undefined) return addCommand(program, noun.name, alone);
  const group = program.command(noun.name).description(noun.summary).helpCommand(false);
  for (const command of COMMANDS)
    if (command.path.startsWith(`${noun.name} `))
      addCommand(group, command.path.slice(noun.name.length + 1), command);
};

export const buildProgram = (): Command => {
  const program = new Command('hostwright')
    .description('Takes machines from "it exists" to "it does its job", and keeps them there.')
    .version(version(), '-V, --version', 'print the version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  for (const section of SECTIONS) {
    program.commandsGroup(section.title);
    for (const noun of section.nouns) addNoun(program, noun);
  }
  return program;
};

/** Commander's own complaints as ours: one sentence, exit code 2. */
export const asFailure = (error: unknown): unknown => {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  // the second line, if there is one, is "(Did you mean ...?)"
  const [said = '', meant = ''] = error.message.replace(/^error: /, '').split('\n');
  const message = [said.replace(/\.$/, ''), meant].filter((text) => text !== '').join(' ');
  return new Failure('usage', message, {
    advice: 'add --help to see how it is used',
  });
};
