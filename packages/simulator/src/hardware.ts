/**
 * What a simulated machine is made of. Made anew from seed and number each time it is asked for,
 * never kept: ten thousand inventories in memory would be a hundred megabytes.
 */
import type { JsonObject } from '@hostwright/core';
import { randomOf, type Random } from './random.ts';

export interface Identity {
  readonly hostname: string;
  readonly systemUuid: string;
  readonly serial: string;
  readonly macs: readonly string[];
  readonly machineId: string;
  readonly address: string;
  readonly rack: string;
  readonly slot: number;
}

const RACK_HEIGHT = 20;
const GIB = 1024 ** 3;

interface Model {
  readonly vendor: string;
  readonly product: string;
  readonly bios: string;
  readonly oui: string;
  serial(random: Random): string;
}

const letters = (random: Random, count: number): string =>
  Array.from(
    { length: count },
    () => '0123456789BCDFGHJKLMNPQRSTVWXYZ'[random.between(0, 30)],
  ).join('');

const MODELS: readonly [Model, ...Model[]] = [
  {
    vendor: 'Dell Inc.',
    product: 'PowerEdge R760',
    bios: '2.3.5',
    oui: 'b0:7b:25',
    serial: (random) => letters(random, 7),
  },
  {
    vendor: 'HPE',
    product: 'ProLiant DL380 Gen11',
    bios: 'U54 v2.16',
    oui: '94:40:c9',
    serial: (random) => `CZ${random.between(2, 4)}${letters(random, 7)}`,
  },
  {
    vendor: 'Supermicro',
    product: 'SYS-621P-TR',
    bios: '1.4b',
    oui: '3c:ec:ef',
    serial: (random) =>
      `S${random.between(100_000, 999_999)}X${random.between(1_000_000, 9_999_999)}`,
  },
  {
    vendor: 'Lenovo',
    product: 'ThinkSystem SR650 V3',
    bios: 'ESE121T-2.20',
    oui: '08:94:ef',
    serial: (random) => `J30${letters(random, 5)}`,
  },
];

const CPUS: readonly [readonly [string, number], ...(readonly [string, number])[]] = [
  ['Intel(R) Xeon(R) Gold 6430', 32],
  ['Intel(R) Xeon(R) Silver 4410Y', 12],
  ['AMD EPYC 9354 32-Core Processor', 32],
  ['AMD EPYC 9124 16-Core Processor', 16],
];

const DISKS: readonly [
  readonly [string, number, boolean, string],
  ...(readonly [string, number, boolean, string])[],
] = [
  ['SAMSUNG MZQL2960HCJR', 960_197_124_096, false, 'nvme'],
  ['INTEL SSDPF2KX038TZ', 3_840_755_982_336, false, 'nvme'],
  ['ST4000NM000A-2HZ100', 4_000_787_030_016, true, 'sata'],
  ['MTFDDAK480TDS', 480_103_981_056, false, 'sata'],
];

/** Seed and number stand in it, so that no two machines of any two fleets share one. */
const uuid = (random: Random, seed: number, index: number): string => {
  const tail = (seed % 0x10000).toString(16).padStart(4, '0') + index.toString(16).padStart(8, '0');
  return `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${tail}`;
};

const draw = (seed: number, index: number) => {
  const random = randomOf(seed, index);
  const model = random.pick(MODELS);
  const systemUuid = uuid(random, seed, index);
  const serial = model.serial(random);
  // the last three bytes come from the machine's number, so that no two machines share a MAC
  const tail = (port: number): string =>
    ((seed % 16) * 0x100000 + index * 4 + port)
      .toString(16)
      .padStart(6, '0')
      .replace(/(..)(?=.)/g, '$1:');
  return { random, model, systemUuid, serial, mac: (port: number) => `${model.oui}:${tail(port)}` };
};

export const identityOf = (seed: number, index: number, prefix: string): Identity => {
  const { systemUuid, serial, mac, random } = draw(seed, index);
  const rack = Math.floor(index / RACK_HEIGHT) + 1;
  const slot = (index % RACK_HEIGHT) + 1;
  const pad = (value: number) => String(value).padStart(2, '0');
  return {
    hostname: `${prefix}-r${pad(rack)}-u${pad(slot)}`,
    systemUuid,
    serial,
    macs: [mac(0), mac(1)],
    machineId: random.hex(32),
    address: `10.${64 + (Math.floor(index / 62_500) % 64)}.${Math.floor(index / 250) % 250}.${(index % 250) + 2}`,
    rack: `r${pad(rack)}`,
    slot,
  };
};

/** The facts, in the shape in which the real agent sends them. */
export const inventoryOf = (seed: number, index: number, prefix: string): JsonObject => {
  const { random, model, systemUuid, serial, mac } = draw(seed, index);
  const identity = identityOf(seed, index, prefix);
  const [cpu, cores] = random.pick(CPUS);
  const sockets = random.between(1, 2);
  const [diskModel, size, rotational, transport] = random.pick(DISKS);
  const disks = Array.from({ length: random.between(1, 4) }, (_, disk) => ({
    name: transport === 'nvme' ? `nvme${disk}n1` : `sd${'abcd'[disk]}`,
    size_bytes: size,
    serial: `${diskModel.slice(0, 3).toUpperCase()}${random.hex(10).toUpperCase()}`,
    model: diskModel,
    rotational,
    removable: false,
    transport,
  }));
  return {
    hostname: identity.hostname,
    machine_id: identity.machineId,
    firmware: 'uefi',
    dmi: {
      vendor: model.vendor,
      product: model.product,
      serial,
      uuid: systemUuid,
      bios_version: model.bios,
      chassis_asset_tag: `${identity.rack}-u${identity.slot}`,
    },
    cpu: { model: cpu, sockets, cores: cores * sockets, threads: cores * sockets * 2 },
    memory_bytes: random.pick([64, 128, 256, 512, 1024]) * GIB,
    disks,
    nics: [0, 1].map((port) => ({
      name: `ens${port + 1}f0`,
      mac: mac(port),
      speed_mbit: port === 0 ? 25_000 : 1000,
      carrier: port === 0,
      physical: true,
      driver: port === 0 ? 'mlx5_core' : 'tg3',
      mtu: 1500,
      addresses: port === 0 ? [`${identity.address}/16`] : [],
    })),
    os: { id: 'debian', version: '13', kernel: '6.12.48-amd64', arch: 'x86_64' },
    agent: { version: 'simulator' },
  };
};
