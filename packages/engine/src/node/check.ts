/** What a node may be called and may carry: every reason at once, before anything is written. */
import type { JsonObject, JsonValue, Refusal } from '@hostwright/core';

const NAME = /^[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$/;
const LABEL_KEY = /^[a-z0-9]([a-z0-9._/-]{0,126}[a-z0-9])?$/;
const MAC = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$|^([0-9a-f]{2}:){19}[0-9a-f]{2}$/; // Ethernet, InfiniBand
const MAX_LABELS = 100;
const MAX_LABEL = 256;
const MAX_DESCRIPTION = 4096;
const MAX_HINT = 64 * 1024;
const MAX_MACS = 64;

const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });

export const checkName = (name: string, path = 'name'): Refusal[] => {
  if (name.length > 255) return [refuse(path, 'a name has at most 255 characters')];
  if (/^[0-9]+$/.test(name)) return [refuse(path, 'a name must not consist of digits only')];
  if (!NAME.test(name) || name.includes('..'))
    return [
      refuse(
        path,
        'a name consists of lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit',
      ),
    ];
  return [];
};

const hasControls = (value: JsonValue): boolean =>
  typeof value === 'string'
    ? // oxlint-disable-next-line no-control-regex -- these are what must not come in
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value)
    : value !== null &&
      typeof value === 'object' &&
      Object.entries(value).some(([key, part]) => hasControls(key) || hasControls(part));

export const checkLabels = (labels: JsonObject, path = 'labels'): Refusal[] => {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) return [refuse(path, `at most ${MAX_LABELS} labels`)];
  return entries.flatMap(([key, value]) => {
    const at = `${path}/${key.slice(0, 64)}`;
    if (!LABEL_KEY.test(key))
      return [refuse(at, 'a label is named in lower-case letters, digits and . _ / -')];
    if (typeof value !== 'string' || value.length > MAX_LABEL || hasControls(value))
      return [refuse(at, `a label's value is a text of at most ${MAX_LABEL} printable characters`)];
    return [];
  });
};

/** The one way a MAC address is written here; undefined if it is none, or one that is nobody's. */
export const normalMac = (mac: string): string | undefined => {
  const plain = mac.trim().toLowerCase().replaceAll('-', ':');
  if (!MAC.test(plain)) return undefined;
  return /^(00:)+00$|^(ff:)+ff$/.test(plain) ? undefined : plain;
};

export interface NodeFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly labels?: JsonObject | undefined;
  readonly hint?: JsonObject | undefined;
  readonly macs?: readonly string[] | undefined;
  readonly bootenv?: string | undefined;
}

export const checkNode = (fields: NodeFields, path = ''): Refusal[] => {
  const at = (field: string) => (path === '' ? field : `${path}/${field}`);
  const refusals: Refusal[] = [];
  if (fields.name !== undefined) refusals.push(...checkName(fields.name, at('name')));
  if (fields.labels !== undefined) refusals.push(...checkLabels(fields.labels, at('labels')));
  if (
    fields.description !== undefined &&
    (fields.description.length > MAX_DESCRIPTION || hasControls(fields.description))
  )
    refusals.push(
      refuse(
        at('description'),
        `a description is a text of at most ${MAX_DESCRIPTION} printable characters`,
      ),
    );
  if (
    fields.hint !== undefined &&
    (JSON.stringify(fields.hint).length > MAX_HINT || hasControls(fields.hint))
  )
    refusals.push(
      refuse(at('hint'), `hints are at most ${MAX_HINT / 1024} KB, without control characters`),
    );
  if (fields.bootenv !== undefined && !/^[a-z0-9][a-z0-9._-]{0,127}$/.test(fields.bootenv))
    refusals.push(
      refuse(at('bootenv'), 'a boot environment is named in lower-case letters, digits and . _ -'),
    );
  if (fields.macs !== undefined && fields.macs.length > MAX_MACS)
    refusals.push(refuse(at('macs'), `at most ${MAX_MACS} MAC addresses`));
  else
    for (const mac of fields.macs ?? [])
      if (normalMac(mac) === undefined)
        refusals.push(
          refuse(
            at('macs'),
            `${JSON.stringify(mac.slice(0, 64))} is not a MAC address of one card`,
          ),
        );
  return refusals;
};
