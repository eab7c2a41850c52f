/** The matrix of a deployment, live: single cells by event, the whole after what events do not tell. */
import type { NoderoleState } from '@hostwright/core/noderole/state';
import { deployment_matrix } from '@hostwright/api/nouns/deployment-matrix';
import { type Deployment } from '@hostwright/api/nouns/deployment';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useFeed } from '../live/context.ts';
import { reading } from '../session/client.ts';
import { buildMatrix, setCell, type Matrix } from './matrix-model.ts';

export interface LiveMatrix {
  readonly matrix: Matrix | undefined;
  readonly error: Error | null;
  readonly onCells: (listener: () => void) => () => void;
}

export const useMatrix = (deployment: Deployment, search: string): LiveMatrix => {
  const feed = useFeed();
  const queries = useQueryClient();
  const query = {
    params: { deployment: deployment.name },
    query:
      deployment.proposedSnapshotId === null ? {} : { snapshot: deployment.proposedSnapshotId },
  };
  const read = useQuery({
    ...reading(deployment_matrix, query),
    placeholderData: keepPreviousData,
  });
  const matrix = useMemo(
    () => (read.data === undefined ? undefined : buildMatrix(read.data, search)),
    [read.data, search],
  );
  const listeners = useRef(new Set<() => void>());
  const current = useRef(matrix);
  current.current = matrix;
  const cells = matrix?.look.length ?? 0;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let due = Infinity;
    const readSoon = (ms: number) => {
      if (performance.now() + ms >= due) return;
      clearTimeout(timer);
      due = performance.now() + ms;
      timer = setTimeout(() => {
        due = Infinity;
        void queries.invalidateQueries({ queryKey: [deployment_matrix.id] });
      }, ms);
    };
    const stop = feed.onEvents((events) => {
      let touched = false;
      for (const event of events) {
        if (event.deploymentId !== deployment.id) continue;
        if (event.kind.startsWith('snapshot.') || event.kind.startsWith('deployment.'))
          readSoon(60);
        if (event.kind !== 'noderole.state' && event.kind !== 'noderole.removed') continue;
        const to = event.payload['to'] as NoderoleState | undefined;
        const known =
          current.current !== undefined &&
          to !== undefined &&
          setCell(current.current, event.noderoleId ?? 0, to) !== undefined;
        touched ||= known;
        // flags (held, degraded, drifted) are not in the event: read them after a while
        readSoon(known ? (cells > 5000 ? 15_000 : 3000) : 150);
      }
      if (touched) for (const listener of listeners.current) listener();
    });
    const stopGap = feed.onGap(() => readSoon(0));
    return () => {
      stop();
      stopGap();
      clearTimeout(timer);
    };
  }, [feed, queries, deployment.id, cells]);

  const onCells = useMemo(
    () => (listener: () => void) => {
      listeners.current.add(listener);
      return () => {
        listeners.current.delete(listener);
      };
    },
    [],
  );
  return { matrix, error: read.error, onCells };
};
