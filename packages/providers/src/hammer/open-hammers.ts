/** Opens the hammers of a node from what the database says of them, the most capable first. */
import {
  readSecret,
  reveal,
  listHammers,
  type Db,
  type HammerRecord,
  type MasterKey,
} from '@hostwright/engine';
import { ipmiHammer } from '../ipmi/ipmi.ts';
import { redfishHammer } from '../redfish/redfish.ts';
import { HammerError, type Hammer } from './hammer.ts';

const openOne = (record: HammerRecord, password: string): Hammer | null => {
  const { kind, endpoint, username, config } = record;
  switch (kind) {
    case 'ipmi': {
      const [, host = endpoint, port] = /^(.*?)(?::(\d+))?$/.exec(endpoint) ?? [];
      const cipher = config['cipherSuite'];
      return ipmiHammer({
        host,
        username,
        password,
        ...(port !== undefined && { port: Number(port) }),
        ...(typeof cipher === 'number' && { cipherSuite: cipher }),
      });
    }
    case 'redfish': {
      const { system, certificateSha256 } = config;
      return redfishHammer({
        endpoint,
        username,
        password,
        ...(typeof system === 'string' && { system }),
        ...(typeof certificateSha256 === 'string' && { certificateSha256 }),
      });
    }
    default:
      return null;
  }
};

/** One that cannot be opened says why when it is used; the others of the node are there all the same. */
const broken = (kind: string, cause: unknown): Hammer => {
  const fail = () => {
    const why = cause instanceof Error ? cause.message : String(cause);
    return Promise.reject(new HammerError('refused', `${kind} is not set up: ${why}`, cause));
  };
  return { kind, power: { status: fail, on: fail, off: fail, reset: fail } };
};

export const openHammers = async (
  db: Db,
  options: { readonly nodeId: number; readonly master: MasterKey },
): Promise<readonly Hammer[]> => {
  const records = await listHammers(db, options.nodeId);
  const hammers: Hammer[] = [];
  for (const record of records) {
    try {
      const password =
        record.secret === null
          ? ''
          : reveal(await readSecret(db, { master: options.master, name: record.secret }));
      const hammer = openOne(record, password);
      if (hammer !== null) hammers.push(hammer);
    } catch (error) {
      hammers.push(broken(record.kind, error));
    }
  }
  return hammers;
};
