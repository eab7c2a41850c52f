import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { StateMark } from '../ui/state.tsx';
import { StateMeter } from '../ui/state-counts.tsx';
import type { Box } from './graph-model.ts';

export type BoxNode = Node<
  { readonly box: Box; readonly cause: boolean; readonly chosen: boolean },
  'box'
>;

export const BoxView = ({ data }: NodeProps<BoxNode>) => {
  const { box } = data;
  return (
    <div
      className="graph-box"
      data-state={box.state}
      data-cause={data.cause}
      data-chosen={data.chosen}
      data-foreign={box.foreign}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className="state" data-state={box.state}>
        <StateMark look={box.state} />
      </span>
      <div className="grow">
        <div className="graph-title truncate">{box.title}</div>
        {box.count > 1 ? <StateMeter counts={box.counts} /> : null}
        <div className="graph-detail truncate">
          {box.detail}
          {data.cause ? ' · holds others back' : ''}
        </div>
      </div>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
};
