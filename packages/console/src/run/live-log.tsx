/** The log of a run as it is written. Follows the end until somebody scrolls up. */
import { run_log_stream } from '@hostwright/api/nouns/run';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { client } from '../session/client.ts';
import { createFrameQueue } from '../live/frame-queue.ts';
import { plural } from '../ui/words.ts';

interface Line {
  readonly seq: number;
  readonly at: string;
  readonly stream: string;
  readonly text: string;
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const useLog = (runId: number): { readonly lines: readonly Line[]; readonly ended: boolean } => {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const stopper = new AbortController();
    setLines([]);
    setEnded(false);
    const queue = createFrameQueue<Line>((items) => setLines((before) => [...before, ...items]));
    const follow = async () => {
      for await (const message of client.stream(
        run_log_stream,
        { params: { run: runId } },
        { signal: stopper.signal },
      )) {
        if (message.event === 'end') setEnded(true);
        else queue.push(JSON.parse(message.data) as Line); // the server's own contract
      }
    };
    follow().catch(() => setEnded(true));
    return () => {
      stopper.abort();
      queue.clear();
    };
  }, [runId]);
  return { lines, ended };
};

export const LiveLog = ({
  runId,
  height = 420,
}: {
  readonly runId: number;
  readonly height?: number;
}) => {
  const { lines, ended } = useLog(runId);
  const box = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 20,
    overscan: 20,
  });
  useEffect(() => {
    if (following && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [lines.length, following, rows]);
  return (
    <div className="stack tight">
      <div
        ref={box}
        className="log"
        style={{ height }}
        role="log"
        aria-label="Log of the run"
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
          setFollowing(scrollTop + clientHeight >= scrollHeight - 30);
        }}
      >
        {lines.length === 0 ? (
          <p className="log-line faint">
            {ended ? 'This run wrote no log.' : 'Waiting for the first line…'}
          </p>
        ) : null}
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map((item) => {
            const line = lines[item.index];
            if (line === undefined) return null;
            return (
              <div
                key={line.seq}
                ref={rows.measureElement}
                data-index={item.index}
                className="log-line"
                data-stream={line.stream}
                style={{
                  position: 'absolute',
                  left: 0,
                  right: 0,
                  transform: `translateY(${item.start}px)`,
                }}
              >
                <time dateTime={line.at} title={line.at}>
                  {clock.format(new Date(line.at))}
                </time>
                <span>{line.text}</span>
              </div>
            );
          })}
        </div>
      </div>
      <p className="faint" role="status">
        {plural(lines.length, 'line')} ·{' '}
        {ended ? 'complete' : following ? 'following' : 'paused; scroll to the end to follow'}
      </p>
    </div>
  );
};
