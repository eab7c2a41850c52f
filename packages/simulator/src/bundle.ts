/**
 * Reads the bundle of a task as a machine would, without unpacking it to a disk. A script may say
 * in comments how it behaves when it is only simulated; without any it just succeeds:
 *
 *   # simulate: log Fetching packages
 *   # simulate: wall {"demo":{"web":{"address":"@address@"}}}
 *   # simulate: seconds 3
 *   # simulate: fail 30%
 *   # simulate: exit 2
 */
import type { JsonObject } from '@hostwright/core';

export interface Script {
  readonly name: string;
  readonly text: string;
}

export interface Bundle {
  readonly scripts: readonly Script[];
}

/** What the comments of a bundle's scripts ask for. */
export interface Behaviour {
  readonly logs: readonly string[];
  readonly wall: JsonObject;
  readonly seconds: number | undefined;
  readonly failure: number;
  readonly exitCode: number;
  /** The last script: what a failure is blamed on. */
  readonly script: string;
}

const text = (block: Buffer, from: number, length: number): string => {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('utf8');
};

/** ustar, plain files only: what the server makes. */
export const readBundle = (tar: Buffer): Bundle => {
  const scripts: Script[] = [];
  for (let at = 0; at + 512 <= tar.length;) {
    const header = tar.subarray(at, at + 512);
    const name = text(header, 0, 100);
    if (name === '') break;
    const prefix = text(header, 345, 155);
    const size = Number.parseInt(text(header, 124, 12).trim() || '0', 8);
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const plain = header[156] === 0x30 || header[156] === 0;
    if (plain && /^(\.\/)?scripts\//.test(path))
      scripts.push({
        name: path.replace(/^(\.\/)?scripts\//, ''),
        text: tar.subarray(at + 512, at + 512 + size).toString('utf8'),
      });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return { scripts: scripts.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
};

const merge = (into: JsonObject, from: JsonObject): JsonObject => {
  const merged = { ...into };
  for (const [key, value] of Object.entries(from)) {
    const old = merged[key];
    merged[key] = isObject(old) && isObject(value) ? merge(old, value) : value;
  }
  return merged;
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readWall = (json: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

export const readBehaviour = (bundle: Bundle, fill: (template: string) => string): Behaviour => {
  let behaviour: Behaviour = {
    logs: [],
    wall: {},
    seconds: undefined,
    failure: 0,
    exitCode: 0,
    script: '',
  };
  for (const script of bundle.scripts) {
    behaviour = {
      ...behaviour,
      script: script.name,
      logs: [...behaviour.logs, `== ${script.name}`],
    };
    for (const [, verb = '', rest = ''] of script.text.matchAll(
      /^#\s*simulate:\s*(\w+)\s*(.*)$/gm,
    )) {
      const value = fill(rest.trim());
      if (verb === 'log') behaviour = { ...behaviour, logs: [...behaviour.logs, value] };
      if (verb === 'wall')
        behaviour = { ...behaviour, wall: merge(behaviour.wall, readWall(value)) };
      if (verb === 'seconds') behaviour = { ...behaviour, seconds: Number(value) || 0 };
      if (verb === 'fail')
        behaviour = { ...behaviour, failure: Number.parseFloat(value) / 100 || 0 };
      if (verb === 'exit') behaviour = { ...behaviour, exitCode: Number.parseInt(value, 10) || 0 };
    }
  }
  return behaviour;
};
