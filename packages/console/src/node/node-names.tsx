/** Names of nodes that a field offers; there may be ten thousand, so only the first that fit. */
import { useFleet } from '../live/fleet-store.ts';

const MOST_OFFERED = 200;

export const NodeNames = (props: {
  /** What the field names as its `list`. */
  readonly id: string;
  /** Only names with this in them. */
  readonly containing?: string;
  readonly except?: readonly string[];
}) => {
  const { columns } = useFleet();
  const left = new Set(props.except);
  const offered = Array.from({ length: columns.size }, (_, at) => columns.name[at] ?? '')
    .filter((name) => !left.has(name) && name.includes(props.containing ?? ''))
    .slice(0, MOST_OFFERED);
  return (
    <datalist id={props.id}>
      {offered.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
};
