/** The graph of a deployment by cohort, live, with each blocked path traced back to its cause. */
import '@xyflow/react/dist/style.css';
import '../style/graph.css';
import { deployment_graph } from '@hostwright/api/nouns/deployment-graph';
import { type Deployment } from '@hostwright/api/nouns/deployment';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  Background,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
} from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import { reading } from '../session/client.ts';
import { Trouble } from '../shell/failure.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { State } from '../ui/state.tsx';
import { StateCounts } from '../ui/state-counts.tsx';
import { plural } from '../ui/words.ts';
import { BoxView, type BoxNode } from './box-view.tsx';
import { draw, EACH_LIMIT, shapeOf, traceBlocked, type Box, type Drawn } from './graph-model.ts';
import { BOX, layOutGraph, type Places } from './lay-out.ts';

const nodeTypes = { box: BoxView };

const usePlaces = (drawn: Drawn | undefined): Places | undefined => {
  const [found, setFound] = useState<{ readonly shape: string; readonly places: Places }>();
  const shape = drawn === undefined ? undefined : shapeOf(drawn);
  useEffect(() => {
    let stale = false;
    if (drawn === undefined || shape === undefined) return undefined;
    void layOutGraph(drawn).then((places) => {
      if (!stale) setFound({ shape, places });
    });
    return () => {
      stale = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the shape stands for what is drawn
  }, [shape]);
  return found?.shape === shape ? found?.places : undefined;
};

const Chosen = ({ box, onClose }: { readonly box: Box; readonly onClose: () => void }) => (
  <aside className="graph-side" aria-label="What is chosen">
    <div className="row">
      <h2 className="grow truncate">{box.title}</h2>
      <button className="btn quiet small" onClick={onClose}>
        Close
      </button>
    </div>
    <p className="muted">{box.detail}</p>
    {box.count === 1 ? <State look={box.state} /> : <StateCounts counts={box.counts} />}
    {box.reason === '' ? null : <p>{box.reason}</p>}
    {box.count === 1 ? (
      <Link
        className="btn"
        to="/noderoles/$noderole"
        params={{ noderole: String(box.noderoles[0]) }}
      >
        Runs and attributes
      </Link>
    ) : null}
  </aside>
);

const Canvas = ({
  drawn,
  places,
  trace,
  chosen,
  onChoose,
}: {
  readonly drawn: Drawn;
  readonly places: Places;
  readonly trace: ReturnType<typeof traceBlocked>;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}) => {
  const flow = useReactFlow();
  const nodes = useMemo<BoxNode[]>(
    () =>
      drawn.boxes.map((box) => ({
        id: box.id,
        type: 'box',
        position: places.get(box.id) ?? { x: 0, y: 0 },
        width: BOX.width,
        height: BOX.height,
        data: { box, cause: trace.causes.has(box.id), chosen: box.id === chosen },
        ariaLabel: `${box.title}, ${box.detail}, ${box.state}`,
      })),
    [drawn, places, trace, chosen],
  );
  const edges = useMemo<Edge[]>(
    () =>
      drawn.edges.map((edge) => ({
        id: edge.id,
        source: edge.from,
        target: edge.to,
        focusable: false,
        className: trace.edges.has(edge.id)
          ? 'edge-blocked'
          : edge.soft
            ? 'edge-soft'
            : 'edge-hard',
        animated: trace.edges.has(edge.id),
      })),
    [drawn, trace],
  );
  useEffect(() => {
    void flow.fitView({ padding: 0.12, maxZoom: 1 });
  }, [flow, places]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      nodesDraggable={false}
      nodesConnectable={false}
      minZoom={0.05}
      onlyRenderVisibleElements
      proOptions={{ hideAttribution: true }}
      onNodeClick={(_, node) => onChoose(node.id)}
      onPaneClick={() => onChoose(undefined)}
    >
      <Background gap={22} size={1} />
      <Controls showInteractive={false} />
      {drawn.boxes.length > 40 ? (
        <MiniMap pannable zoomable ariaLabel="Overview of the graph" />
      ) : null}
    </ReactFlow>
  );
};

export const GraphTab = ({
  deployment,
  node,
}: {
  readonly deployment: Deployment;
  readonly node: string | undefined;
}) => {
  const { data, error } = useQuery(
    reading(deployment_graph, {
      params: { deployment: deployment.name },
      query: node === undefined ? {} : { node },
    }),
  );
  const [wanted, setWanted] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const many = (data?.noderoles.length ?? 0) > EACH_LIMIT;
  const mode = wanted ?? ((data?.noderoles.length ?? 0) > 60 ? 'role' : 'each');
  const drawn = useMemo(
    () => (data === undefined ? undefined : draw(data, mode === 'role' || many)),
    [data, mode, many],
  );
  const trace = useMemo(
    () =>
      data === undefined || drawn === undefined ? undefined : traceBlocked(data, drawn, chosen),
    [data, drawn, chosen],
  );
  const places = usePlaces(drawn);
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined || drawn === undefined || trace === undefined)
    return (
      <div className="deploy-pad grow">
        <Skeleton />
      </div>
    );
  if (data.noderoles.length === 0)
    return (
      <div className="grow">
        <Empty icon="graph" title="Nothing to draw yet">
          After the first commit each noderole stands here, parents at the left, and a blocked one
          is traced back to what holds it.
        </Empty>
      </div>
    );
  const box = drawn.boxes.find((each) => each.id === chosen);
  return (
    <div className="graph grow">
      <div className="toolbar slim">
        <Segmented
          label="What a box is"
          value={many ? 'role' : mode}
          options={many ? { role: 'By role' } : { each: 'Every noderole', role: 'By role' }}
          onChange={setWanted}
        />
        <span className="faint">
          {plural(data.noderoles.length, 'noderole')}
          {data.truncated ? ', the first of more: narrow it down by node' : ''}
          {trace.causes.size > 0
            ? ` · ${plural(trace.causes.size, 'cause')} holding others back`
            : ''}
        </span>
      </div>
      <div className="graph-canvas">
        {places === undefined ? (
          <div className="deploy-pad">
            <Skeleton />
          </div>
        ) : (
          <ReactFlowProvider>
            <Canvas
              drawn={drawn}
              places={places}
              trace={trace}
              chosen={chosen}
              onChoose={setChosen}
            />
          </ReactFlowProvider>
        )}
        {box === undefined ? null : <Chosen box={box} onClose={() => setChosen(undefined)} />}
      </div>
    </div>
  );
};
