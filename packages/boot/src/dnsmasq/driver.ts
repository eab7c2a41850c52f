/**
 * Feeds dnsmasq. What is new goes into files that it reads by itself, which takes a few milliseconds
 * however many nodes there are: names in shards (changed and removed names go with their file), DHCP
 * hosts in one small file per node. In the memory of dnsmasq a later host line comes before an older
 * one of the same card, so a line stands for a change too, and one without an address for a removal;
 * what lies behind it goes at the next reload. Where that cannot be - the same address on another
 * line - dnsmasq says so in its log, and everything is read again at SIGHUP. Where nothing of a node's
 * lines has changed, dnsmasq is told nothing.
 */
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import type { AppliedNode, BootServerDriver } from '../feed/feed-server.ts';
import type { NodeData } from '../feed/node-data.ts';
import { findDnsmasq } from './find.ts';
import { macsOfHost, renderDhcpHost, renderNames, renderRemovedHost } from './render.ts';
import {
  changedParts,
  hostShard,
  nameFolders,
  nameShard,
  nodeAtLine,
  parseShard,
  readIfThere,
  replaceFile,
  updateShards,
} from './shard.ts';
import { openUnrecorded } from './unrecorded.ts';
import {
  askPort,
  confirmVersion,
  RELOADED_NAME,
  renderVersion,
  TAKEN_NAME,
  type LookUp,
} from './version.ts';

export interface DnsmasqDriverOptions {
  readonly folder: string;
  readonly dnsPort: number;
  readonly leaseSeconds?: number;
  readonly timeoutSeconds?: number;
  /** For labs: how the loopback of the daemon's network namespace is reached. */
  readonly lookUp?: LookUp;
}

/** More at once, and a reload is faster; also well below the kernel's queue of 16,384 events. */
const MOST_AT_ONCE = 200;
/** Lines in the memory of dnsmasq that later ones have replaced. */
const MOST_STALE = 500;
/**
 * With each file it reads, dnsmasq goes through its leases, and for each of them through its hosts; a
 * reload does so once, and reads all hosts. So leases times files decide, whatever number of hosts.
 */
const MOST_LEASES_READ = 2000;
/** A line of its lease file, about. */
const LEASE_BYTES = 60;
/**
 * A reload takes 0.4 s of an idle machine with 10,000 nodes and 5 s with 50,000; one that is given up
 * before its end only begins anew.
 */
const PATIENCE_SECONDS_PER_NODE = 0.001;
/** Of a node in the files that are read at a reload, about. */
const HOST_BYTES = 50;

const COMPLAINT = /(duplicate dhcp-host|bad |error|illegal).* at line (\d+) of (\S+)/;

export const dnsmasqDriver = (options: DnsmasqDriverOptions): BootServerDriver => {
  const { folder } = options;
  const lookUp = options.lookUp ?? askPort(options.dnsPort);
  const timeoutSeconds = options.timeoutSeconds ?? 10;
  const fresh = join(folder, 'hosts.d');
  const base = join(folder, 'hosts.base');
  const names = join(folder, 'names');
  const log = join(folder, 'dnsmasq.log');
  const stale = join(folder, 'stale');
  const leases = join(folder, 'leases');
  const aside = join(folder, 'aside');
  const unrecorded = openUnrecorded(join(folder, 'unrecorded'));

  const readHeld = async (
    nodeId: number,
  ): Promise<{ readonly text: string; readonly known: boolean }> => {
    const text = await readIfThere(join(fresh, `node-${nodeId}`));
    if (text !== '') return { text, known: true };
    const part = parseShard(await readIfThere(join(base, hostShard(nodeId)))).get(nodeId);
    return { text: part ?? '', known: part !== undefined };
  };

  /** What dnsmasq has complained of since, by node. */
  const readComplaints = async (from: number): Promise<ReadonlyMap<number, string>> => {
    const found = new Map<number, string>();
    const file = await open(log, 'r').catch(() => null);
    if (file === null) return found;
    try {
      const size = (await file.stat()).size;
      const buffer = Buffer.alloc(Math.max(0, Math.min(size - from, 1 << 22)));
      await file.read(buffer, 0, buffer.length, from);
      for (const line of buffer.toString().split('\n')) {
        const [, , at = '0', path = ''] = COMPLAINT.exec(line) ?? [];
        if (!path.startsWith(folder)) continue;
        const own = /\/node-(\d+)$/.exec(path)?.[1];
        const nodeId =
          own === undefined
            ? nodeAtLine(await readFile(path, 'utf8').catch(() => ''), Number(at))
            : Number(own);
        if (nodeId !== null)
          found.set(nodeId, line.replace(/^.*?\]: /, '').replace(` of ${path}`, ''));
      }
    } finally {
      await file.close();
    }
    return found;
  };

  const logSize = async (): Promise<number> => (await stat(log).catch(() => ({ size: 0 }))).size;
  const countLeases = async (): Promise<number> =>
    (await stat(leases).catch(() => ({ size: 0 }))).size / LEASE_BYTES;
  const countHosts = async (): Promise<number> => {
    const sizes = (await readdir(base)).map(
      async (name) => (await stat(join(base, name)).catch(() => ({ size: 0 }))).size,
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / HOST_BYTES;
  };
  const countStale = async (): Promise<number> =>
    Number(await readFile(stale, 'utf8').catch(() => '0'));

  /** Everything is read again: the small files are folded into the shards first. */
  const reload = async (
    hosts: ReadonlyMap<number, string>,
    version: number,
  ): Promise<ReadonlyMap<number, string>> => {
    const pid = await findDnsmasq(folder);
    if (pid === null)
      throw new HostwrightError('unavailable', { message: 'dnsmasq is not running' });
    const folded = new Map<number, string>();
    const files = (await readdir(fresh)).filter((name) => name.startsWith('node-'));
    for (const name of files)
      folded.set(Number(name.slice(5)), await readFile(join(fresh, name), 'utf8'));
    for (const [nodeId, text] of hosts) folded.set(nodeId, text);
    await updateShards(base, folded, hostShard);
    for (const name of files) await rm(join(fresh, name), { force: true });
    const from = await logSize();
    await writeFile(join(folder, 'version'), renderVersion(version, RELOADED_NAME));
    const patience = timeoutSeconds + (await countHosts()) * PATIENCE_SECONDS_PER_NODE;
    process.kill(pid, 'SIGHUP');
    await confirmVersion({ lookUp, name: RELOADED_NAME, version, timeoutSeconds: patience });
    await rm(stale, { force: true });
    return readComplaints(from);
  };

  const writeFresh = async (
    hosts: ReadonlyMap<number, string>,
    version: number,
  ): Promise<ReadonlyMap<number, string>> => {
    const from = await logSize();
    const removed: string[] = [];
    let replaced = 0;
    for (const [nodeId, text] of hosts) {
      const held = await readHeld(nodeId);
      const path = join(fresh, `node-${nodeId}`);
      if (held.known) replaced++;
      if (text === '') removed.push(path);
      await updateShards(base, new Map([[nodeId, '']]), hostShard);
      await replaceFile(path, text === '' ? renderRemovedHost(held.text) : text);
    }
    await replaceFile(join(names, 'taken/version'), renderVersion(version, TAKEN_NAME));
    await confirmVersion({ lookUp, name: TAKEN_NAME, version, timeoutSeconds });
    for (const path of removed) await rm(path, { force: true });
    if (replaced > 0) await writeFile(stale, String((await countStale()) + replaced));
    return readComplaints(from);
  };

  /**
   * Nothing that dnsmasq reads has changed, as with another boot environment: it is spared the work,
   * which grows with the leases it holds. Nothing was left unrecorded either, so it has taken these
   * files; that it answers shows that it still serves them.
   */
  const holdsAlready = async (nodes: readonly NodeData[]): Promise<readonly AppliedNode[]> => {
    await lookUp(RELOADED_NAME).catch((cause: unknown) => {
      throw new HostwrightError('unavailable', { message: 'dnsmasq does not answer', cause });
    });
    return nodes.map(({ nodeId }) => ({
      nodeId,
      evidence: 'dnsmasq answers, and holds these lines already',
    }));
  };

  const apply = async (
    nodes: readonly NodeData[],
    version: number,
  ): Promise<readonly AppliedNode[]> => {
    if ((await findDnsmasq(folder)) === null)
      throw new HostwrightError('unavailable', { message: 'dnsmasq is not running' });
    const hosts = new Map<number, string>();
    const unheard = await unrecorded.read();
    let whole = false;
    for (const node of nodes) {
      const text = renderDhcpHost(node, options.leaseSeconds);
      const held = await readHeld(node.nodeId);
      const doubtful = node.refused || unheard.has(node.nodeId);
      if (held.text === text && !doubtful) continue;
      hosts.set(node.nodeId, text);
      // the file may hold what dnsmasq does not: only reading all again shows whether it takes it now
      if (doubtful) whole = true;
      // a card that the node has no more would still be found on the old line
      if (text !== '' && macsOfHost(held.text).some((mac) => !text.includes(mac))) whole = true;
    }
    const named = await changedParts(
      names,
      new Map(nodes.map((node) => [node.nodeId, renderNames(node)])),
      nameShard,
    );
    if (!whole && hosts.size === 0 && named.size === 0) return holdsAlready(nodes);
    const files = hosts.size + named.size;
    whole ||=
      files > MOST_AT_ONCE ||
      files * (await countLeases()) > MOST_LEASES_READ ||
      (await countStale()) + hosts.size > MOST_STALE;
    await unrecorded.add([...hosts.keys(), ...named.keys()]);
    await updateShards(names, named, nameShard, whole ? aside : undefined);
    let complaints = whole ? await reload(hosts, version) : await writeFresh(hosts, version);
    const how = whole || complaints.size > 0 ? 'after SIGHUP' : 'after reading the changed files';
    if (!whole && complaints.size > 0) complaints = await reload(hosts, version);
    return nodes.map(({ nodeId }) => {
      const error = complaints.get(nodeId);
      return {
        nodeId,
        evidence: `dnsmasq answered version ${version} ${how}`,
        ...(error !== undefined && { error }),
      };
    });
  };

  return {
    kind: 'dnsmasq',
    apply,
    recorded: (nodes) => unrecorded.remove(nodes.map(({ nodeId }) => nodeId)),
  };
};

export const prepareDnsmasqFolder = async (folder: string): Promise<void> => {
  const own = ['hosts.d', 'hosts.base', 'aside', 'tftp/grub'].map((name) => join(folder, name));
  for (const path of [...own, ...nameFolders(join(folder, 'names'))])
    await mkdir(path, { recursive: true });
  await writeFile(join(folder, 'version'), renderVersion(0, RELOADED_NAME), { flag: 'a' });
};
