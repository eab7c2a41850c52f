/**
 * A strict reading of a kickstart file, because Debian has no ksvalidator and Anaconda stops at the
 * first word it does not know - on the machine, when it is too late. What is checked: every command
 * and option is one that this version knows, sections end, what must be there is there once, and
 * nothing outside the named disks is cleared. A command that is not listed is refused even if Anaconda
 * knows it: whoever uses one in a template adds it here.
 */
export type KickstartVersion = 9 | 10;

interface Command {
  /** Options it may have; with `=` those that need a value. */
  readonly options?: readonly string[];
  /** How many words without dashes. */
  readonly words?: readonly [number, number];
  readonly only?: KickstartVersion;
}

const DISPLAY: Command = { options: ['non-interactive'] };
const END: Command = { options: ['eject', 'kexec'] };
const PART_OPTIONS = [
  'size=',
  'grow',
  'maxsize=',
  'fstype=',
  'ondisk=',
  'ondrive=',
  'onpart=',
  'asprimary',
  'label=',
  'fsoptions=',
  'recommended',
  'noformat',
];

const COMMANDS: Readonly<Record<string, Command>> = {
  text: DISPLAY,
  cmdline: DISPLAY,
  reboot: END,
  poweroff: END,
  url: { options: ['url=', 'mirrorlist=', 'metalink=', 'proxy=', 'noverifyssl'] },
  repo: { options: ['name=', 'baseurl=', 'mirrorlist=', 'metalink=', 'proxy=', 'cost='] },
  lang: { options: ['addsupport='], words: [1, 1] },
  keyboard: { options: ['vckeymap=', 'xlayouts='], words: [0, 1] },
  timezone: { options: ['utc', 'nontp'], words: [0, 1] },
  timesource: { options: ['ntp-server=', 'ntp-pool=', 'ntp-disable', 'nts'] },
  network: {
    options: [
      'bootproto=',
      'device=',
      'hostname=',
      'activate',
      'onboot=',
      'ip=',
      'netmask=',
      'gateway=',
      'nameserver=',
      'noipv6',
    ],
  },
  firewall: { options: ['enabled', 'disabled', 'ssh', 'service=', 'port='] },
  selinux: { options: ['enforcing', 'permissive', 'disabled'] },
  rootpw: { options: ['iscrypted', 'plaintext', 'lock', 'allow-ssh'], words: [0, 1] },
  user: {
    options: [
      'name=',
      'groups=',
      'homedir=',
      'password=',
      'iscrypted',
      'plaintext',
      'lock',
      'shell=',
      'uid=',
      'gecos=',
    ],
  },
  sshkey: { options: ['username='], words: [1, 1] },
  services: { options: ['enabled=', 'disabled='] },
  ignoredisk: { options: ['only-use=', 'drives='] },
  zerombr: {},
  clearpart: { options: ['all', 'none', 'linux', 'initlabel', 'drives=', 'disklabel=', 'list='] },
  bootloader: {
    options: ['boot-drive=', 'driveorder=', 'location=', 'append=', 'timeout=', 'leavebootorder'],
  },
  autopart: { options: ['type=', 'fstype=', 'nohome', 'noboot', 'noswap', 'nolvm'] },
  reqpart: { options: ['add-boot'] },
  part: { options: PART_OPTIONS, words: [1, 1] },
  volgroup: { options: ['pesize=', 'reserved-space=', 'reserved-percent='], words: [2, 64] },
  logvol: { options: [...PART_OPTIONS, 'vgname=', 'name=', 'percent='], words: [1, 1] },
  raid: { options: ['level=', 'device=', 'fstype=', 'spares=', 'label='], words: [3, 64] },
  skipx: {},
  eula: { options: ['agreed'] },
  syspurpose: { options: ['role=', 'sla=', 'usage=', 'addon='], only: 9 },
  rhsm: { options: ['organization=', 'activation-key=', 'connect-to-insights'], only: 9 },
};

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  '%pre': ['erroronfail', 'interpreter=', 'log='],
  '%post': ['erroronfail', 'interpreter=', 'log=', 'nochroot'],
  '%packages': ['ignoremissing', 'excludedocs', 'nocore', 'inst-langs=', 'retries=', 'timeout='],
  '%addon': [],
};

const REQUIRED = ['url', 'lang', 'keyboard', 'timezone', 'rootpw', 'bootloader', 'clearpart'];
const ONCE = [...REQUIRED, 'ignoredisk', 'zerombr', 'selinux', 'firewall', 'autopart', 'reqpart'];

const checkOptions = (words: readonly string[], known: readonly string[]): string[] =>
  words
    .filter((word) => word.startsWith('--'))
    .flatMap((word) => {
      const [name = '', value] = word.slice(2).split(/=(.*)/s);
      if (value === undefined) return known.includes(name) ? [] : [`--${name}`];
      return known.includes(`${name}=`) && value !== '' ? [] : [word];
    });

const drives = (line: string | undefined, option: string): readonly string[] =>
  (new RegExp(`--${option}=(\\S+)`).exec(line ?? '')?.[1] ?? '').split(',').filter(Boolean).sort();

/** Every problem, each with its line; empty = Anaconda should read it. */
export const checkKickstart = (text: string, version: KickstartVersion): readonly string[] => {
  const problems: string[] = [];
  const seen = new Map<string, string[]>();
  let section: string | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const say = (problem: string) => problems.push(`line ${index + 1}: ${problem}`);
    const words = line.trim().split(/\s+/);
    const [first = ''] = words;
    if (section !== null) {
      if (first === '%end') section = null;
      else if (SECTIONS[first] !== undefined) say(`${first} begins before ${section} has ended`);
      continue;
    }
    if (first === '' || first.startsWith('#')) continue;
    if (first.startsWith('%')) {
      const known = SECTIONS[first];
      if (known === undefined) say(`there is no section ${first}`);
      else for (const odd of checkOptions(words, known)) say(`${first} has no option ${odd}`);
      if (first !== '%end') section = first;
      continue;
    }
    const command = COMMANDS[first];
    if (command === undefined || (command.only !== undefined && command.only !== version)) {
      say(`version ${version} has no command ${first}`);
      continue;
    }
    for (const odd of checkOptions(words, command.options ?? []))
      say(`${first} has no option ${odd}`);
    const [least, most] = command.words ?? [0, 0];
    const plain = words.slice(1).filter((word) => !word.startsWith('--')).length;
    if (plain < least || plain > most)
      say(`${first} takes ${least} to ${most} words, not ${plain}`);
    seen.set(first, [...(seen.get(first) ?? []), line]);
  }
  if (section !== null) problems.push(`${section} does not end`);
  for (const name of REQUIRED) if (!seen.has(name)) problems.push(`${name} is missing`);
  for (const name of ONCE)
    if ((seen.get(name)?.length ?? 0) > 1) problems.push(`${name} is there more than once`);
  if (!seen.has('autopart') && !seen.has('part')) problems.push('there are no partitions');
  if (seen.has('autopart') && seen.has('part'))
    problems.push('autopart and part exclude each other');
  const allowed = drives(seen.get('ignoredisk')?.[0], 'only-use');
  const cleared = drives(seen.get('clearpart')?.[0], 'drives');
  if (allowed.length === 0 || allowed.join() !== cleared.join())
    problems.push('clearpart --drives must name what ignoredisk --only-use names');
  return problems;
};
