/**
 * Words of commands that people paste into their shells. Serials are what machines say of themselves:
 * only control characters are taken out of them, so that one may hold a space, a comma or `;reboot`.
 */
const PLAIN = /^[\w.@:/,-]+$/;

/** One word for a POSIX shell, whatever is in it. */
export const quoteWord = (word: string): string =>
  PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

interface NamedDisk {
  readonly name: string;
  readonly serial: string | null;
}

/** Its serial; its name where commands would take the serial for two disks, for a flag or for none. */
export const sayDisk = ({ name, serial }: NamedDisk): string =>
  serial === null || serial === '' || serial.includes(',') || serial.startsWith('-')
    ? name
    : serial;

/** As `commit --consent` takes it, so that nobody has to look up how a disk is named. */
export const sayConsent = (item: {
  readonly role: string;
  readonly node: string;
  readonly disks: readonly NamedDisk[];
}): string => {
  const named = item.disks.map(sayDisk).join(',');
  return `--consent ${quoteWord(`${item.role}@${item.node}${named === '' ? '' : `:${named}`}`)}`;
};
