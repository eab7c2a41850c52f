/**
 * The scripts that loaders read. Every word in them is either ours or checked to be plain, so that
 * nothing a machine or a person said can become a command.
 */
import { HostwrightError } from '@hostwright/core';
import { isFilePath, isPlainWord } from '../valid.ts';

export interface BootScript {
  readonly baseUrl: string;
  readonly kernel: string;
  readonly initrds: readonly string[];
  readonly cmdline: string;
  /** Path of the seed: a small initrd of this one boot, which holds its token. */
  readonly seed: string | null;
  readonly reason: string;
  /** No Linux: a program that firmware starts by itself (memtest). */
  readonly program?: boolean;
}

const checked = (script: BootScript): BootScript => {
  const words = [script.baseUrl, ...script.cmdline.split(' '), script.seed ?? ''];
  const odd = words.find((word) => !isPlainWord(word));
  const oddPath = [script.kernel, ...script.initrds].find((path) => !isFilePath(path));
  if (odd !== undefined || oddPath !== undefined) {
    throw new HostwrightError('bad_input', {
      message: 'a boot environment holds a word that no loader may read',
      private: { odd, oddPath },
    });
  }
  return script;
};

const comment = (text: string): string => text.replaceAll(/[^\w .,:-]/g, '');
const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const renderIpxe = (given: BootScript): string => {
  const script = checked(given);
  const files = `${script.baseUrl}/boot/v1/files`;
  // the EFI stub reads the initrds by name from the command line; the seed comes first because its
  // length is a multiple of 512 and the stub joins them without padding
  const initrds = [...(script.seed === null ? [] : ['seed.cpio']), ...script.initrds.map(base)];
  const names = initrds.map((name) => `initrd=${name}`).join(' ');
  return [
    '#!ipxe',
    `# ${comment(script.reason)}`,
    `kernel ${files}/${script.kernel} ${[names, script.cmdline].filter((part) => part !== '').join(' ')} || goto failed`,
    ...(script.seed === null
      ? []
      : [`initrd --name seed.cpio ${script.baseUrl}${script.seed} || goto failed`]),
    ...script.initrds.map((path) => `initrd --name ${base(path)} ${files}/${path} || goto failed`),
    'boot || goto failed',
    ':failed',
    'echo Hostwright: could not load what to boot; the next boot device follows',
    'exit 1',
    '',
  ].join('\n');
};

export const renderIpxeLocal = (reason: string, firmware: 'bios' | 'uefi'): string =>
  [
    '#!ipxe',
    `# ${comment(reason)}`,
    // UEFI firmware takes a loader that ended well for an answer and opens its setup: only one that
    // failed makes it go on to the disk
    ...(firmware === 'uefi' ? ['exit 1'] : ['sanboot --no-describe --drive 0x80 || exit']),
    '',
  ].join('\n');

/**
 * For UEFI with Secure Boot: shim and GRUB are signed, this text is not and need not be. Everything
 * comes by TFTP, which is all that Debian's signed GRUB speaks.
 */
export const renderGrub = (given: BootScript): string => {
  const script = checked(given);
  const device = `(tftp,${new URL(script.baseUrl).hostname})`;
  const files = `${device}/boot/v1/files`;
  const initrds = [
    ...(script.seed === null ? [] : [`${device}${script.seed}`]),
    ...script.initrds.map((path) => `${files}/${path}`),
  ];
  return [
    `# ${comment(script.reason)}`,
    'set timeout=0',
    "menuentry 'Hostwright' {",
    `  ${script.program === true ? 'chainloader' : 'linux'} ${files}/${script.kernel} ${script.cmdline}`,
    ...(initrds.length === 0 ? [] : [`  initrd ${initrds.join(' ')}`]),
    '}',
    '',
  ].join('\n');
};

/**
 * Where loaders lie on a disk, below `/EFI`. Those of distributions come first, because Red Hat's
 * `BOOT` may hold a program that mends the firmware's boot entries and starts the machine again,
 * each time it is asked.
 */
const OWN_LOADERS = [
  ...['debian', 'ubuntu', 'rocky', 'almalinux', 'redhat', 'centos', 'fedora'].map(
    (name) => `${name}/shimx64.efi`,
  ),
  'opensuse/shim.efi',
  'sles/shim.efi',
  'BOOT/BOOTX64.EFI',
];

/**
 * Debian's GRUB cannot end with an error, and firmware that sees a loader end well may open its setup
 * and wait there for ever. So GRUB starts the disk's own loader, which the firmware checks as ever:
 * that of the disk with the mark of the last installation; without one, the first that is found.
 */
export const renderGrubLocal = (reason: string, mark: string | null = null): string =>
  [
    `# ${comment(reason)}`,
    'set timeout=0',
    "menuentry 'Own disk' {",
    ...(mark === null
      ? []
      : [
          `  if search --no-floppy --file --set=root /EFI/hostwright/${mark}; then`,
          `    for loader in ${OWN_LOADERS.join(' ')}; do`,
          '      if [ -f /EFI/$loader ]; then',
          '        chainloader /EFI/$loader',
          '        boot',
          '      fi',
          '    done',
          '  fi',
        ]),
    `  for loader in ${OWN_LOADERS.join(' ')}; do`,
    // a chain-loaded program is told that it comes from `root`
    '    if search --no-floppy --file --set=root /EFI/$loader; then',
    '      chainloader /EFI/$loader',
    '      boot',
    '    fi',
    '  done',
    '  exit',
    '}',
    '',
  ].join('\n');
