/**
 * The frozen plan of one installation. Made once, when the run starts, from attributes that were
 * frozen at commit: a later edit can never change what an installation under way writes (A12).
 * Every value that ends in a file on the machine is checked here against what that file may hold.
 */
import type { JsonObject, JsonValue, Refusal } from '@hostwright/core';
import { isDnsName, isFilePath, isPlainWord, isSshKey } from '../valid.ts';
import { chooseDisks, type Disk } from './choose-disks.ts';

export const LAYOUTS = ['plain', 'lvm', 'raid1'] as const;
export type Layout = (typeof LAYOUTS)[number];

export interface InstallPlan {
  readonly os: string;
  readonly kind: 'preseed' | 'autoinstall' | 'kickstart' | 'image' | 'erase';
  readonly bootenv: string;
  readonly hostname: string;
  readonly domain: string;
  readonly layout: Layout;
  readonly disks: readonly {
    readonly name: string;
    readonly serial: string;
    readonly bytes: number;
    readonly signatures: readonly string[];
  }[];
  readonly image: {
    readonly path: string;
    readonly sha256: string;
    readonly bytes: number;
    /** tar: files for a layout of ours. raw: a whole disk, with its own partitions and boot loader. */
    readonly format: 'tar' | 'raw';
    readonly compression: 'none' | 'gzip' | 'xz' | 'zstd';
  } | null;
  readonly user: string;
  readonly sshKeys: readonly string[];
  readonly passwordHash: string;
  readonly mirror: string;
  readonly timezone: string;
  readonly packages: readonly string[];
}

export interface PlanInput {
  readonly attribs: JsonObject;
  readonly nodeName: string;
  readonly disks: readonly Disk[];
  readonly template: {
    readonly name: string;
    readonly kind: InstallPlan['kind'];
    readonly data: JsonObject;
  };
  readonly image: { readonly path: string; readonly sha256: string; readonly size: number } | null;
}

export type MadePlan =
  | { readonly ok: true; readonly plan: InstallPlan }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const PASSWORD_HASH = /^\$(6|y|5)\$[./A-Za-z0-9$=,]{20,200}$/;

const text = (value: JsonValue | undefined, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;
const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value)
    ? value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
    : [];
const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const COMPRESSIONS = { '': 'none', gz: 'gzip', xz: 'xz', zst: 'zstd' } as const;

/** Null: its name does not say what it is. */
export const readImageKind = (
  path: string,
): Pick<NonNullable<InstallPlan['image']>, 'format' | 'compression'> | null => {
  const [, format = '', ending = ''] = /\.(tar|raw|img)(?:\.(gz|xz|zst))?$/.exec(path) ?? [];
  const compression = Object.entries(COMPRESSIONS).find(([known]) => known === ending)?.[1];
  if (format === '' || compression === undefined) return null;
  return { format: format === 'tar' ? 'tar' : 'raw', compression };
};

export const makeInstallPlan = (input: PlanInput): MadePlan => {
  const { attribs, template } = input;
  const refusals: Refusal[] = [];
  const refuse = (path: string, message: string) =>
    refusals.push({ code: 'bad_install', path, message });
  const fullName = text(attribs['hostname'], input.nodeName);
  if (!isDnsName(fullName)) refuse('hostname', 'is no host name');
  const [hostname = '', ...rest] = fullName.split('.');
  const layout = LAYOUTS.find((known) => known === text(attribs['layout'], 'plain'));
  if (layout === undefined) refuse('layout', `must be one of ${LAYOUTS.join(', ')}`);
  const wish = object(attribs['disk']);
  const rule = (['first', 'only', 'smallest', 'largest', 'ssd'] as const).find(
    (known) => known === wish['rule'],
  );
  const chosen = chooseDisks(
    input.disks,
    { serials: texts(wish['serials']), ...(rule !== undefined && { rule }) },
    layout === 'raid1' ? 2 : 1,
  );
  if (!chosen.ok) refusals.push(...chosen.refusals);
  // answers of installers hold it as it is, and some read patterns or shell there; images are put on
  // disks by a script of ours, which compares plain words
  for (const { name, serial } of chosen.ok && template.kind !== 'image' ? chosen.disks : [])
    if (!isPlainWord(serial.replaceAll(' ', '')))
      refuse('disk', `the serial of ${name} holds a character that no installer may read`);
  const user = text(attribs['user'], 'root');
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) refuse('user', 'is no user name');
  const sshKeys = texts(attribs['ssh_keys']);
  sshKeys.forEach((key, index) => {
    if (!isSshKey(key)) refuse(`ssh_keys/${index}`, 'is no SSH public key');
  });
  const passwordHash = text(attribs['password_hash'], '');
  if (passwordHash !== '' && !PASSWORD_HASH.test(passwordHash))
    refuse('password_hash', 'is no crypt hash ($6$ or $y$)');
  const mirror = text(attribs['mirror'], text(template.data['mirror'], ''));
  if (mirror !== '' && !/^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~/-]*)?$/.test(mirror))
    refuse('mirror', 'is no plain http(s) address');
  const timezone = text(attribs['timezone'], 'UTC');
  if (!/^[A-Za-z]+([/_+-][A-Za-z0-9_+-]+)*$/.test(timezone)) refuse('timezone', 'is no time zone');
  const packages = texts(attribs['packages']);
  packages.forEach((name, index) => {
    if (!/^[a-z0-9][a-z0-9+.-]{0,80}$/.test(name))
      refuse(`packages/${index}`, 'is no package name');
  });
  if (template.kind === 'image' && input.image === null)
    refuse('image', 'the image is not registered');
  const imageKind = input.image === null ? null : readImageKind(input.image.path);
  if (input.image !== null && (!isFilePath(input.image.path) || imageKind === null))
    refuse('image', 'must be named .tar, .raw or .img, with .gz, .xz or .zst if compressed');
  if (imageKind?.format === 'raw' && layout !== 'plain')
    refuse('layout', 'a raw image brings its own partitions: the layout must be plain');
  if (refusals.length > 0 || layout === undefined || !chosen.ok) return { ok: false, refusals };
  return {
    ok: true,
    plan: {
      os: template.name,
      kind: template.kind,
      bootenv: `${template.name}-install`,
      hostname,
      domain: rest.join('.'),
      layout,
      disks: chosen.disks.map(({ name, serial, bytes, signatures }) => ({
        name,
        serial,
        bytes,
        signatures,
      })),
      image:
        input.image === null || imageKind === null
          ? null
          : {
              path: input.image.path,
              sha256: input.image.sha256,
              bytes: input.image.size,
              ...imageKind,
            },
      user,
      sshKeys,
      passwordHash,
      mirror,
      timezone,
      packages,
    },
  };
};

/** As a script on the machine compares it. */
export const plainSerial = (serial: string): string => serial.replaceAll(/[^A-Za-z0-9._-]/g, '_');

/** The plan as lines that a shell script reads without a parser; every value is plain by now. */
export const writePlanLines = (plan: InstallPlan, bootUrl: string): string => {
  const [disk, second] = plan.disks;
  const lines = {
    os: plan.os,
    hostname: plan.hostname,
    domain: plan.domain,
    layout: plan.layout,
    disk_name: disk?.name ?? '',
    disk_serial: plainSerial(disk?.serial ?? ''),
    disk_bytes: String(disk?.bytes ?? 0),
    disk2_name: second?.name ?? '',
    disk2_serial: plainSerial(second?.serial ?? ''),
    disk2_bytes: String(second?.bytes ?? 0),
    image_path: plan.image?.path ?? '',
    image_url: plan.image === null ? '' : `${bootUrl}/boot/v1/files/${plan.image.path}`,
    image_sha256: plan.image?.sha256 ?? '',
    image_bytes: String(plan.image?.bytes ?? 0),
    image_format: plan.image?.format ?? '',
    image_compression: plan.image?.compression ?? '',
    user: plan.user,
    password_hash: plan.passwordHash,
    timezone: plan.timezone,
  };
  const erased =
    plan.kind === 'erase'
      ? [
          `erase=${plan.os.slice('erase-'.length)}`,
          ...plan.disks.map(({ serial, bytes }) => `erase_disk=${plainSerial(serial)} ${bytes}`),
        ]
      : [];
  return [...Object.entries(lines).map(([key, value]) => `${key}=${value}`), ...erased]
    .map((line) => `${line}\n`)
    .join('');
};
