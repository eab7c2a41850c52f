/** What the flight recorder saw of one boot, in order, with seconds since it began. */
import type { Answer } from '@hostwright/api';
import type { boot_get } from '@hostwright/api/nouns/boot';
import { Json } from '../ui/json.tsx';

type Seen = Answer<typeof boot_get>['timeline'][number];

export const BootTimeline = ({ timeline }: { readonly timeline: readonly Seen[] }) => (
  <ol className="boot-line" aria-label="What was seen, in order">
    {timeline.map((seen, at) => (
      <li key={`${seen.at}-${at}`} data-kind={seen.kind}>
        <time className="num" dateTime={seen.at} title={seen.at}>
          {seen.seconds.toFixed(1)} s
        </time>
        <span className={seen.kind === 'refused' ? 'badge bad' : 'badge'}>{seen.kind}</span>
        <div>
          <span className="boot-text">{seen.text}</span>
          {Object.keys(seen.detail).length === 0 ? null : (
            <details>
              <summary className="faint">detail</summary>
              <Json value={seen.detail} />
            </details>
          )}
        </div>
      </li>
    ))}
  </ol>
);
