/** Every command there is, in the order in which help lists them. */
import type { CommandSpec, NounSpec, OptionSpec } from '../spec.ts';
import { ACCESS_COMMANDS, ACCESS_NOUNS } from './access.ts';
import { MACHINE_COMMANDS, MACHINE_NOUNS } from './machines.ts';
import { METAL_COMMANDS, METAL_NOUNS } from './metal.ts';
import { PLAN_COMMANDS, PLAN_NOUNS } from './plans.ts';
import { SYSTEM_COMMANDS, SYSTEM_NOUNS } from './system.ts';
import { WORK_COMMANDS, WORK_NOUNS } from './work.ts';

export const SECTIONS: readonly { readonly title: string; readonly nouns: readonly NounSpec[] }[] =
  [
    { title: 'Run Hostwright:', nouns: SYSTEM_NOUNS },
    { title: 'Machines and roles:', nouns: MACHINE_NOUNS },
    { title: 'Networks and boots:', nouns: METAL_NOUNS },
    { title: 'Plan and commit:', nouns: PLAN_NOUNS },
    { title: 'Watch and mend:', nouns: WORK_NOUNS },
    { title: 'Access:', nouns: ACCESS_NOUNS },
  ];

export const COMMANDS: readonly CommandSpec[] = [
  ...SYSTEM_COMMANDS,
  ...MACHINE_COMMANDS,
  ...METAL_COMMANDS,
  ...PLAN_COMMANDS,
  ...WORK_COMMANDS,
  ...ACCESS_COMMANDS,
];

/** Taken by every command; `local`: also by those that talk to no server. */
export const GLOBAL_OPTIONS: readonly (OptionSpec & { readonly local: boolean })[] = [
  { flags: '--json', summary: 'answer as JSON', local: true },
  {
    flags: '--data-dir <folder>',
    summary: 'where a Hostwright of this machine lives',
    local: true,
    completes: 'folder',
  },
  { flags: '--url <url>', summary: 'server to talk to', local: false },
  { flags: '--token <token>', summary: 'API token; better in HOSTWRIGHT_TOKEN', local: false },
  { flags: '--context <name>', summary: 'a server remembered by `login`', local: false },
];
