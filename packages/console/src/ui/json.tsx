export const Json = ({ value }: { readonly value: unknown }) => (
  <pre className="json">{JSON.stringify(value, null, 2)}</pre>
);
