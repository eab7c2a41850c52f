/** Bytes of output as they come, given on in whole lines; knows how many bytes those were. */
export interface Tail {
  push(bytes: Buffer): void;
  /** What is left without a newline. */
  end(): void;
  /** Bytes given on so far, from the beginning of the output. */
  offset(): number;
}

const LONGEST_LINE = 64 * 1024;

export const createTail = (from: number, give: (text: string) => void): Tail => {
  let held: Buffer = Buffer.alloc(0);
  let offset = from;
  const giveUpTo = (end: number): void => {
    const text = held.subarray(0, end).toString('utf8').replaceAll('\0', '\ufffd');
    held = held.subarray(end);
    offset += end;
    give(text.endsWith('\n') ? text.slice(0, -1) : text);
  };
  return {
    push: (bytes) => {
      held = Buffer.concat([held, bytes]);
      const whole = held.lastIndexOf(0x0a) + 1;
      if (whole > 0) giveUpTo(whole);
      else if (held.length > LONGEST_LINE) giveUpTo(held.length);
    },
    end: () => {
      if (held.length > 0) giveUpTo(held.length);
    },
    offset: () => offset,
  };
};
