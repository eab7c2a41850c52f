import { createNode, type Db, type NodeRecord } from '@hostwright/engine';

/** A node, where making it is not what is tested. */
export const makeNode = async (db: Db, name: string, macs: string[] = []): Promise<NodeRecord> => {
  const created = await createNode(db, { name, macs, actor: 'test' });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  return created.node;
};
