/** Layered layout by cohort, computed by ELK in a worker; kept by the shape of the graph. */
import type { ELK, ElkNode } from 'elkjs/lib/elk-api.js';
import { shapeOf, type Drawn } from './graph-model.ts';

export const BOX = { width: 188, height: 52 } as const;
export type Places = ReadonlyMap<string, { readonly x: number; readonly y: number }>;

let elk: Promise<ELK> | undefined;
const startElk = async (): Promise<ELK> => {
  const [{ default: Elk }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ]);
  return new Elk({ workerFactory: () => new Worker(workerUrl) });
};

const kept = new Map<string, Places>();

export const layOutGraph = async (drawn: Drawn): Promise<Places> => {
  const shape = shapeOf(drawn);
  const known = kept.get(shape);
  if (known !== undefined) return known;
  elk ??= startElk();
  const graph: ElkNode = {
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.partitioning.activate': 'true',
      'elk.layered.spacing.nodeNodeBetweenLayers': '64',
      'elk.spacing.nodeNode': '18',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
    },
    children: drawn.boxes.map((box) => ({
      id: box.id,
      ...BOX,
      layoutOptions: { 'elk.partitioning.partition': String(box.cohort) },
    })),
    edges: drawn.edges.map((edge) => ({ id: edge.id, sources: [edge.from], targets: [edge.to] })),
  };
  const laid = await (await elk).layout(graph);
  const places = new Map(
    laid.children?.map((child) => [child.id, { x: child.x ?? 0, y: child.y ?? 0 }]),
  );
  if (kept.size > 20) kept.clear();
  kept.set(shape, places);
  return places;
};
