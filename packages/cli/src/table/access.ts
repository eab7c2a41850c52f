import type { CommandSpec, NounSpec } from '../spec.ts';

export const ACCESS_NOUNS: readonly NounSpec[] = [
  { name: 'login', summary: '' },
  { name: 'sign-in', summary: '' },
  { name: 'context', summary: 'which server the commands talk to' },
  { name: 'join-command', summary: '' },
  { name: 'token', summary: 'API tokens, and tokens that let machines join' },
  { name: 'user', summary: 'people and what they may do' },
  { name: 'secret', summary: 'passwords and keys, sealed; and the key that seals them' },
];

const USER = { name: 'user', summary: 'name or id', completes: 'user' } as const;
const ROLES = ['viewer', 'operator', 'admin'] as const;

export const ACCESS_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'login',
    summary: 'remember a server and a token for it',
    args: [{ name: 'address', summary: 'such as https://hostwright.example.org:4680' }],
    options: [
      { flags: '--name <name>', summary: 'name of the context; the host if not given' },
      {
        flags: '--fingerprint <sha256>',
        summary: "of the server's CA; asked for if it is not known",
      },
      { flags: '--ca-file <file>', summary: 'the CA certificate itself', completes: 'file' },
    ],
    details: 'The API token comes from --token, HOSTWRIGHT_TOKEN or standard input.',
    load: () => import('../commands/login.ts'),
  },
  {
    path: 'sign-in',
    summary: 'print a one-time link that signs you in to the console',
    load: () => import('../commands/sign-in.ts'),
  },
  {
    path: 'context list',
    summary: 'servers that are remembered',
    local: true,
    load: () => import('../commands/context/list.ts'),
  },
  {
    path: 'context use',
    summary: 'talk to this one from now on',
    args: [{ name: 'name', summary: 'name of the context' }],
    local: true,
    load: () => import('../commands/context/use.ts'),
  },
  {
    path: 'context delete',
    summary: 'forget one',
    args: [{ name: 'name', summary: 'name of the context' }],
    local: true,
    load: () => import('../commands/context/delete.ts'),
  },
  {
    path: 'join-command',
    summary: 'the command that lets a machine join',
    options: [
      { flags: '--uses <number>', summary: 'how many machines may use it', default: '1' },
      { flags: '--hours <number>', summary: 'how long it is good', default: '24' },
    ],
    load: () => import('../commands/join-command.ts'),
  },
  {
    path: 'token list',
    summary: 'list tokens; never their secrets',
    load: () => import('../commands/token/list.ts'),
  },
  {
    path: 'token create',
    summary: 'make an API token; its secret is shown once',
    args: [{ name: 'name', summary: 'what it is for' }],
    options: [
      { flags: '--role <role>', summary: 'what it may do', choices: ROLES },
      { flags: '--user <name>', summary: 'for this user', completes: 'user' },
      { flags: '--days <number>', summary: 'how long it is good' },
    ],
    load: () => import('../commands/token/create.ts'),
  },
  {
    path: 'token revoke',
    summary: 'end a token at once',
    args: [{ name: 'id', summary: 'as `token list` shows it' }],
    load: () => import('../commands/token/revoke.ts'),
  },
  {
    path: 'user list',
    summary: 'list users',
    load: () => import('../commands/user/list.ts'),
  },
  {
    path: 'user create',
    summary: 'make a user',
    args: [{ name: 'name', summary: 'lower case' }],
    options: [
      { flags: '--role <role>', summary: 'what they may do', choices: ROLES, default: 'viewer' },
      { flags: '--password-stdin', summary: 'read a password from standard input' },
    ],
    load: () => import('../commands/user/create.ts'),
  },
  {
    path: 'user set',
    summary: 'change role or password, disable, enable',
    args: [USER],
    options: [
      { flags: '--role <role>', summary: 'what they may do', choices: ROLES },
      { flags: '--disable', summary: 'signed out at once, and kept out' },
      { flags: '--enable', summary: 'let in again' },
      { flags: '--password-stdin', summary: 'read a password from standard input' },
    ],
    load: () => import('../commands/user/set.ts'),
  },
  {
    path: 'user grant',
    summary: 'what a user may do in single deployments; replaces what was granted before',
    args: [USER, { name: 'grants', summary: 'deployment=role', many: true, optional: true }],
    load: () => import('../commands/user/grant.ts'),
  },
  {
    path: 'user link',
    summary: 'make a one-time sign-in link',
    args: [USER],
    load: () => import('../commands/user/link.ts'),
  },
  {
    path: 'user delete',
    summary: 'delete a user with sessions and tokens',
    args: [USER],
    load: () => import('../commands/user/delete.ts'),
  },
  {
    path: 'secret list',
    summary: 'names of secrets; values cannot be read back',
    load: () => import('../commands/secret/list.ts'),
  },
  {
    path: 'secret set',
    summary: 'store a secret; its value comes from standard input',
    args: [{ name: 'name', summary: 'lower-case letters, digits and . _ / -' }],
    examples: ['hostwright secret set bmc/password < password.txt'],
    load: () => import('../commands/secret/set.ts'),
  },
  {
    path: 'secret delete',
    summary: 'delete a secret that no hammer or webhook uses',
    args: [{ name: 'name', summary: 'as `secret list` shows it' }],
    load: () => import('../commands/secret/delete.ts'),
  },
  {
    path: 'secret rotate-key',
    summary: 'seal every secret with a new master key, while Hostwright is stopped',
    details:
      'If it is interrupted, the same command finishes it. With HOSTWRIGHT_MASTER_KEY, the new key comes from HOSTWRIGHT_NEW_MASTER_KEY.',
    local: true,
    load: () => import('../commands/secret/rotate-key.ts'),
  },
];
