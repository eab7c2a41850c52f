/**
 * Stands in for zod in the browser's bundle: operations carry their schemas for the server and for
 * OpenAPI, the console needs only method and path. Saves about 60 KB of compressed JavaScript.
 * Anything called on it answers itself.
 */
const nothing: unknown = new Proxy(() => nothing, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : nothing),
  apply: () => nothing,
});

// the shape is only what the type checker of @hostwright/api sees of the real zod
export const z = nothing;
