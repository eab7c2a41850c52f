/**
 * Which lines of the sent bytes are new. Only whole lines are taken (so a secret is never cut in
 * two before it is masked, nor a character before it is decoded); the rest comes again with the
 * next piece. A line that never ends is taken when it fills a piece, or when it is the last.
 */
import type { TaskLog } from '@hostwright/engine';

export const LARGEST_PIECE = 256 * 1024;
const LONGEST_LINE = 64 * 1024;
/** A script gone wild must not fill the database; it is followed on, but not written down. */
const MOST_KEPT = 32 * 1024 * 1024;

export interface Piece {
  readonly bytes: Buffer;
  readonly offset: number;
  /** How far the log is known. */
  readonly known: number;
  /** No more will come. */
  readonly last: boolean;
  readonly mask: (text: string) => string;
}

export const takeLines = ({ bytes, offset, known, last, mask }: Piece): TaskLog => {
  if (offset > known) return { lines: [], nextOffset: known };
  const fresh = bytes.subarray(known - offset);
  const whole = fresh.lastIndexOf(0x0a) + 1;
  const end = last || (whole === 0 && fresh.length >= LONGEST_LINE) ? fresh.length : whole;
  if (end === 0) return { lines: [], nextOffset: known };
  if (known > MOST_KEPT) return { lines: [], nextOffset: known + end };
  const text = mask(fresh.subarray(0, end).toString('utf8')).replaceAll('\u0000', '\ufffd');
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  if (known + end > MOST_KEPT) lines.push('... more than 32 MB of output: the rest is not kept');
  return {
    // A progress bar redraws its line with \r: the last picture is what a terminal would show.
    lines: lines.map((line) => line.replace(/\r+$/, '').split('\r').at(-1) ?? ''),
    nextOffset: known + end,
  };
};
