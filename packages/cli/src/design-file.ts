/**
 * Deployments as a file to keep in git: what is bound where and with which data, nothing of states
 * or runs. Bindings that were pulled in are not written: importing pulls them in again.
 */
import type { JsonObject } from '@hostwright/core';
import { z } from 'zod';

const data = z.record(z.string(), z.json()).optional();

const deployment = z.strictObject({
  name: z.string(),
  parent: z.string().optional(),
  description: z.string().optional(),
  data,
  roles: z
    .record(
      z.string(),
      z
        .strictObject({
          data,
          /** Node names; with data of their own, as a map. */
          nodes: z.union([z.array(z.string()), z.record(z.string(), data.nullable())]).optional(),
        })
        .nullable(),
    )
    .optional(),
});

const designFile = z.strictObject({
  hostwright: z.literal(1),
  deployments: z.array(deployment),
});

export interface DesignBinding {
  readonly role: string;
  readonly node: string;
  readonly data: JsonObject;
}

export interface DesignDeployment {
  readonly name: string;
  readonly parent: string;
  readonly description: string;
  readonly data: JsonObject;
  readonly roles: readonly { readonly role: string; readonly data: JsonObject }[];
  readonly bindings: readonly DesignBinding[];
}

const isEmpty = (value: JsonObject): boolean => Object.keys(value).length === 0;

/** The smallest text that says it: empty data is left out, nodes without data are a list. */
export const toFile = (deployments: readonly DesignDeployment[]): unknown => ({
  hostwright: 1,
  deployments: deployments.map((item) => ({
    name: item.name,
    ...(item.parent !== 'system' && { parent: item.parent }),
    ...(item.description !== '' && { description: item.description }),
    ...(!isEmpty(item.data) && { data: item.data }),
    ...(item.roles.length > 0 && {
      roles: Object.fromEntries(
        item.roles
          .toSorted((a, b) => (a.role < b.role ? -1 : 1))
          .map((role) => {
            const mine = item.bindings
              .filter((binding) => binding.role === role.role)
              .toSorted((a, b) => (a.node < b.node ? -1 : 1));
            const nodes = mine.some((binding) => !isEmpty(binding.data))
              ? Object.fromEntries(
                  mine.map((binding) => [
                    binding.node,
                    isEmpty(binding.data) ? null : binding.data,
                  ]),
                )
              : mine.map((binding) => binding.node);
            return [
              role.role,
              {
                ...(!isEmpty(role.data) && { data: role.data }),
                ...(mine.length > 0 && { nodes }),
              },
            ];
          }),
      ),
    }),
  })),
});

export type ReadDesign =
  | { readonly ok: true; readonly deployments: readonly DesignDeployment[] }
  | { readonly ok: false; readonly reasons: readonly string[] };

export const fromFile = (value: unknown): ReadDesign => {
  const parsed = designFile.safeParse(value);
  if (!parsed.success)
    return {
      ok: false,
      reasons: parsed.error.issues.map(
        (issue) => `${issue.path.map(String).join('.') || 'file'}: ${issue.message}`,
      ),
    };
  return {
    ok: true,
    deployments: parsed.data.deployments.map((item) => {
      const roles = Object.entries(item.roles ?? {});
      return {
        name: item.name,
        parent: item.parent ?? 'system',
        description: item.description ?? '',
        data: item.data ?? {},
        roles: roles.map(([role, entry]) => ({ role, data: entry?.data ?? {} })),
        bindings: roles.flatMap(([role, entry]) =>
          Array.isArray(entry?.nodes)
            ? entry.nodes.map((node) => ({ role, node, data: {} }))
            : Object.entries(entry?.nodes ?? {}).map(([node, own]) => ({
                role,
                node,
                data: own ?? {},
              })),
        ),
      };
    }),
  };
};
