/** Whether a boot environment can be booted: the files it lacks are named. */
export const Bootable = (props: {
  readonly bootable: boolean;
  readonly missing: readonly string[];
}) =>
  props.bootable ? (
    <span className="badge good">ready</span>
  ) : (
    <span className="badge warn" title={props.missing.join('\n')}>
      {props.missing.length === 1 ? '1 file missing' : `${props.missing.length} files missing`}
    </span>
  );

export const MissingFiles = ({ missing }: { readonly missing: readonly string[] }) =>
  missing.length === 0 ? null : (
    <ul className="mono">
      {missing.map((path) => (
        <li key={path}>{path}</li>
      ))}
    </ul>
  );
