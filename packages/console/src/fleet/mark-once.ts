/** For the benchmark and the browser's own tools: when something useful was first drawn. */
const marked = new Set<string>();

export const markOnce = (name: string): void => {
  if (marked.has(name)) return;
  marked.add(name);
  performance.mark(name);
};
