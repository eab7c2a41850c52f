/** One call of a command: its arguments and options, read by name, and where its output goes. */
import { Failure } from './failure.ts';
import { createOutput, type Output } from './output.ts';

export interface Limits {
  readonly least?: number;
  readonly most?: number;
  readonly parts?: true;
}

export interface Invocation {
  readonly out: Output;
  /** The argument, which the program has already seen to be there. */
  arg(name: string): string;
  optionalArg(name: string): string | undefined;
  manyArgs(name: string): readonly string[];
  text(option: string): string | undefined;
  many(option: string): readonly string[];
  flag(option: string): boolean;
  /** A whole number, unless parts of one make sense too. */
  number(option: string, limits?: Limits): number | undefined;
}

export interface RawCall {
  readonly args: ReadonlyMap<string, string | readonly string[] | undefined>;
  readonly options: Readonly<Record<string, unknown>>;
}

const camel = (option: string): string =>
  option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

export const createInvocation = (raw: RawCall): Invocation => {
  const out = createOutput(raw.options['json'] === true);
  const optionalArg = (name: string): string | undefined => {
    const value = raw.args.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  const text = (option: string): string | undefined => {
    const value = raw.options[camel(option)];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    out,
    optionalArg,
    text,
    arg: (name) => {
      const value = optionalArg(name);
      if (value === undefined) throw new Failure('usage', `${name} is missing`);
      return value;
    },
    manyArgs: (name) => {
      const value = raw.args.get(name);
      return Array.isArray(value) ? value.map(String) : [];
    },
    many: (option) => {
      const value = raw.options[camel(option)];
      return Array.isArray(value) ? value.map(String) : [];
    },
    flag: (option) => raw.options[camel(option)] === true,
    number: (option, limits = {}) => {
      const given = text(option);
      if (given === undefined) return undefined;
      const value = Number(given);
      const { least = -Infinity, most = Infinity } = limits;
      const fits = limits.parts === true ? Number.isFinite(value) : Number.isSafeInteger(value);
      const what = limits.parts === true ? 'number' : 'whole number';
      if (given.trim() === '' || !fits || value < least || value > most)
        throw new Failure(
          'usage',
          `--${option} takes a ${what}${range(least, most)}, not ${given}`,
        );
      return value;
    },
  };
};

const range = (least: number, most: number): string => {
  if (Number.isFinite(least) && Number.isFinite(most)) return ` from ${least} to ${most}`;
  if (Number.isFinite(least)) return ` of at least ${least}`;
  return Number.isFinite(most) ? ` of at most ${most}` : '';
};
