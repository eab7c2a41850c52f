/**
 * The DNS names of an address: every filter that matches gives one. A template may use
 * {{node.name}}, {{node.id}}, {{node.mac}}, {{node.deployment}}, {{network.name}},
 * {{network.category}}, {{range.name}}. A name that DNS would not take is an error of that one
 * address; nothing else is disturbed and nothing odd reaches a zone file.
 */
import { isDnsName } from '../valid.ts';

export interface NameFilter {
  readonly name: string;
  readonly priority: number;
  readonly matcher: Readonly<Record<string, string>>;
  readonly template: string;
}

export interface NameSubject {
  readonly node: {
    readonly id: number;
    readonly name: string;
    readonly mac: string;
    readonly deployment: string;
    readonly roles: readonly string[];
    readonly labels: Readonly<Record<string, unknown>>;
  };
  readonly network: { readonly name: string; readonly category: string; readonly domain: string };
  readonly range: { readonly name: string };
}

export interface RenderedNames {
  readonly names: readonly string[];
  readonly errors: readonly string[];
}

/** What a template may use and a matcher may ask for. */
export const NAME_FIELDS: readonly string[] = [
  'node.name',
  'node.id',
  'node.mac',
  'node.deployment',
  'network.name',
  'network.category',
  'network.domain',
  'range.name',
];

const fieldsOf = ({ node, network, range }: NameSubject): ReadonlyMap<string, string> =>
  new Map([
    ['node.name', node.name],
    ['node.id', String(node.id)],
    ['node.mac', node.mac.replaceAll(':', '-')],
    ['node.deployment', node.deployment],
    ['network.name', network.name],
    ['network.category', network.category],
    ['network.domain', network.domain],
    ['range.name', range.name],
  ]);

const matches = (
  filter: NameFilter,
  subject: NameSubject,
  fields: ReadonlyMap<string, string>,
): boolean =>
  Object.entries(filter.matcher).every(([key, wanted]) => {
    if (key === 'node.role') return subject.node.roles.includes(wanted);
    if (key.startsWith('node.label.')) return subject.node.labels[key.slice(11)] === wanted;
    return fields.get(key) === wanted;
  });

export const renderNames = (
  filters: readonly NameFilter[],
  subject: NameSubject,
): RenderedNames => {
  const fields = fieldsOf(subject);
  const names = new Set<string>();
  const errors: string[] = [];
  for (const filter of [...filters].sort((one, other) => one.priority - other.priority)) {
    if (!matches(filter, subject, fields)) continue;
    let unknown: string | undefined;
    const bare = filter.template.replace(/\{\{\s*([a-z.]+)\s*\}\}/g, (_, key: string) => {
      const value = fields.get(key);
      if (value === undefined) unknown = key;
      return value ?? '';
    });
    if (unknown !== undefined) {
      errors.push(`filter ${filter.name}: there is no {{${unknown}}}`);
      continue;
    }
    const domain = subject.network.domain;
    const name = (bare.includes('.') || domain === '' ? bare : `${bare}.${domain}`).toLowerCase();
    if (isDnsName(name)) names.add(name);
    else errors.push(`filter ${filter.name}: ${JSON.stringify(name.slice(0, 80))} is no DNS name`);
  }
  return { names: [...names], errors };
};
