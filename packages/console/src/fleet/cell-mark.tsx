/** A cell of the grid as the legend shows it: the same colour and mark that `sprite.ts` draws. */
import type { Look } from '../ui/state.tsx';

const Mark = ({ look }: { readonly look: Look }) => {
  switch (look) {
    case 'error':
      return <path d="M5 5l6 6M11 5l-6 6" stroke="var(--surface)" strokeWidth="1.8" />;
    case 'blocked':
      return <path d="M4.5 8h7" stroke="var(--surface)" strokeWidth="1.8" />;
    case 'transition':
      return <path d="M5.9 4.4L11.8 8l-5.9 3.6z" fill="var(--surface)" />;
    case 'todo':
      return <circle cx="8" cy="8" r="2.5" fill="var(--surface)" />;
    case 'down':
      return <path d="M4 12l8-8" stroke="var(--down)" strokeWidth="1.6" />;
    case 'undefined':
      return <circle cx="8" cy="8" r="2.6" fill="var(--undefined)" />;
    case 'active':
    case 'proposed':
    default:
      return null;
  }
};

const HOLLOW: ReadonlySet<Look> = new Set<Look>(['down', 'undefined', 'proposed']);

export const CellMark = ({ look }: { readonly look: Look }) => {
  const hollow = HOLLOW.has(look);
  return (
    <svg viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <rect
        x={hollow ? 1.8 : 1}
        y={hollow ? 1.8 : 1}
        width={hollow ? 12.4 : 14}
        height={hollow ? 12.4 : 14}
        rx="3.4"
        fill={
          hollow
            ? `var(--${look}-soft)`
            : look === 'active'
              ? 'var(--cell-active)'
              : `var(--${look})`
        }
        stroke={hollow ? `var(--${look})` : undefined}
        strokeWidth={look === 'undefined' ? 1.8 : 1.4}
        strokeDasharray={look === 'proposed' ? '2.4 1.8' : undefined}
      />
      <Mark look={look} />
    </svg>
  );
};
