import { writeFileSync } from 'node:fs';
import type { Client } from '@hostwright/api';
import { deployment_list, type Deployment } from '@hostwright/api/nouns/deployment';
import { snapshot_content } from '@hostwright/api/nouns/snapshot';
import { stringify } from 'yaml';
import { connect } from '../connect.ts';
import { toFile, type DesignDeployment } from '../design-file.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';

export const readDesign = async (
  client: Client,
  item: Deployment,
  parent: string,
): Promise<DesignDeployment> => {
  const empty = { data: {}, roles: [], bindings: [] };
  const content =
    item.committedSnapshotId === null
      ? empty
      : await client.call(snapshot_content, { params: { snapshot: item.committedSnapshotId } });
  const bindings = content.bindings.filter((binding) => binding.origin === 'operator');
  const bound = new Set(bindings.map((binding) => binding.role));
  const roles = content.roles.filter(
    (role) => bound.has(role.role) || Object.keys(role.data).length > 0,
  );
  const missing = [...bound].filter((name) => !roles.some((role) => role.role === name));
  return {
    name: item.name,
    parent,
    description: item.description,
    data: content.data,
    roles: [...roles, ...missing.map((role) => ({ role, data: {} }))],
    bindings,
  };
};

/** What is committed, not what is only proposed. */
export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const { items } = await client.call(deployment_list);
  const byId = new Map(items.map((item) => [item.id, item]));
  const asked = call.manyArgs('deployments');
  for (const name of asked)
    if (!items.some((item) => item.name === name || String(item.id) === name))
      throw new Failure('not_found', `there is no deployment ${name}`);
  const isWanted = (item: Deployment | undefined): boolean =>
    item !== undefined &&
    (asked.length === 0 ||
      asked.includes(item.name) ||
      asked.includes(String(item.id)) ||
      isWanted(byId.get(item.parentId ?? 0)));
  const designs: DesignDeployment[] = [];
  for (const item of items.filter((each) => !each.system && isWanted(each)))
    designs.push(await readDesign(client, item, byId.get(item.parentId ?? 0)?.name ?? 'system'));
  const file = toFile(designs);
  const output = call.text('output');
  const text = stringify(file, { aliasDuplicateObjects: false, lineWidth: 100 });
  if (output !== undefined) {
    writeFileSync(output, text, { mode: 0o600 });
    return call.out.answer({ file: output, deployments: designs.length }, () =>
      call.out.line(`${designs.length} deployments are in ${output}`),
    );
  }
  call.out.answer(file, () => call.out.raw(text));
};
