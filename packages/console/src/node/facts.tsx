/** What the machine said of itself: CPU, memory, disks, NICs. Facts are free-form; known ones are shown well. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import { Empty } from '../ui/empty.tsx';
import { Json } from '../ui/json.tsx';
import { Table } from '../ui/table.tsx';

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const list = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(object) : [];
const text = (value: JsonValue | undefined): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

export const bytes = (value: JsonValue | undefined): string => {
  if (typeof value !== 'number') return text(value);
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  const amount = value / 1024 ** power;
  return `${amount.toFixed(amount < 10 && power > 0 ? 1 : 0)} ${units[power] ?? ''}`;
};

const firstOf = (from: JsonObject, ...keys: readonly string[]): JsonValue | undefined =>
  keys.map((key) => from[key]).find((value) => value !== undefined && value !== null);

const Rows = ({
  title,
  rows,
  columns,
}: {
  readonly title: string;
  readonly rows: readonly JsonObject[];
  readonly columns: readonly (readonly [string, (row: JsonObject) => string])[];
}) =>
  rows.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <Table label={title} compact headings={columns.map(([name]) => name)}>
        {rows.map((row, at) => (
          <tr key={text(firstOf(row, 'name', 'mac')) + String(at)}>
            {columns.map(([name, read]) => (
              <td key={name}>{read(row)}</td>
            ))}
          </tr>
        ))}
      </Table>
    </>
  );

const Told = ({ label, parts }: { readonly label: string; readonly parts: readonly string[] }) => (
  <>
    <dt>{label}</dt>
    <dd>
      {parts.filter((part) => part !== '').join(' ') || <span className="faint">not told</span>}
    </dd>
  </>
);

const linkOf = (row: JsonObject): string => {
  const speed = row['speed_mbit'];
  const said =
    typeof speed === 'number'
      ? `${speed >= 1000 ? speed / 1000 : speed} ${speed >= 1000 ? 'Gbit/s' : 'Mbit/s'}`
      : '';
  return row['carrier'] === false ? 'no link' : said;
};

const memoryOf = (facts: JsonObject): string => {
  const memory = facts['memory'];
  const found =
    typeof memory === 'object'
      ? firstOf(object(memory), 'bytes', 'total', 'totalBytes')
      : firstOf(facts, 'memory', 'memoryBytes', 'memory_bytes');
  if (found !== undefined) return bytes(found);
  const kib = firstOf(facts, 'memoryKib', 'memory_kib');
  return typeof kib === 'number' ? bytes(kib * 1024) : '';
};

export const Facts = ({ facts }: { readonly facts: JsonObject }) => {
  if (Object.keys(facts).length === 0)
    return (
      <Empty icon="node" title="No facts yet">
        The machine tells them when it is discovered.
      </Empty>
    );
  const cpu = object(facts['cpu']);
  const cores = firstOf(cpu, 'cores', 'count', 'threads') ?? firstOf(facts, 'cpus', 'cores');
  const model = firstOf(cpu, 'model', 'name') ?? firstOf(facts, 'cpuModel', 'cpu_model');
  const system = object(firstOf(facts, 'system', 'dmi', 'hardware'));
  const os = object(facts['os']);
  return (
    <div className="stack">
      <dl className="facts">
        <Told
          label="CPU"
          parts={[
            cores === undefined ? '' : `${text(cores)} ×`,
            text(model),
            text(firstOf(facts, 'arch', 'architecture')),
          ]}
        />
        <Told label="Memory" parts={[memoryOf(facts)]} />
        <Told
          label="Hardware"
          parts={[
            firstOf(system, 'vendor', 'manufacturer'),
            firstOf(system, 'product', 'model'),
            firstOf(system, 'serial'),
          ].map(text)}
        />
        <Told
          label="System"
          parts={[
            firstOf(os, 'pretty', 'name', 'id'),
            firstOf(os, 'version'),
            firstOf(facts, 'kernel'),
          ].map(text)}
        />
      </dl>
      <Rows
        title="Disks"
        rows={list(facts['disks'])}
        columns={[
          ['Name', (row) => text(row['name'])],
          ['Size', (row) => bytes(firstOf(row, 'size_bytes', 'bytes', 'size', 'sizeBytes'))],
          ['Model', (row) => text(row['model'])],
          ['Serial', (row) => text(row['serial'])],
        ]}
      />
      <Rows
        title="Network"
        rows={list(firstOf(facts, 'nics', 'interfaces', 'network'))}
        columns={[
          ['Name', (row) => text(row['name'])],
          ['MAC', (row) => text(firstOf(row, 'mac', 'address'))],
          [
            'Addresses',
            (row) => {
              const found = firstOf(row, 'addresses', 'ips', 'ip');
              return Array.isArray(found) ? found.map(text).join(', ') : text(found);
            },
          ],
          ['Link', linkOf],
        ]}
      />
      <details>
        <summary className="faint">All facts</summary>
        <Json value={facts} />
      </details>
    </div>
  );
};
