/**
 * Attributes for a shell: every value, at every depth, under a name made of its path. Texts as they
 * are, everything else as JSON, so that `read_attrib network/dns/servers` works without jq.
 */
import type { JsonObject, JsonValue } from '@hostwright/core';

const shellName = (path: string): string => path.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_');

/** Where two paths give one name (a-b and a_b), the later wins. */
export const flattenAttribs = (attribs: JsonObject): ReadonlyMap<string, string> => {
  const flat = new Map<string, string>();
  const visit = (path: string, value: JsonValue): void => {
    if (path !== '')
      flat.set(shellName(path), typeof value === 'string' ? value : JSON.stringify(value));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value))
      visit(path === '' ? key : `${path}/${key}`, part);
  };
  visit('', attribs);
  return flat;
};
