/** Relative time that keeps itself right, with the exact time on hover. One timer for the page. */
import { useSyncExternalStore } from 'react';

let minuteish = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  timer ??= setInterval(() => {
    minuteish = Date.now();
    for (const each of listeners) each();
  }, 5000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
};

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

export const formatAgo = (at: Date, now: number): string => {
  const seconds = (at.getTime() - now) / 1000;
  if (Math.abs(seconds) < 10) return seconds <= 0 ? 'just now' : 'in a moment';
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return relative.format(Math.round(seconds), 'second');
};

/** 90 seconds are 1 min 30 s; 60 are 1 min. */
const inTwo = (count: number, [step, large, small]: readonly [number, string, string]): string =>
  `${Math.floor(count / step)} ${large}${count % step === 0 ? '' : ` ${count % step} ${small}`}`;

export const formatSpan = (milliseconds: number): string => {
  const seconds = milliseconds / 1000;
  if (seconds < 1) return `${Math.round(milliseconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return inTwo(Math.round(seconds), [60, 'min', 's']);
  return inTwo(Math.round(seconds / 60), [60, 'h', 'min']);
};

export const TimeAgo = ({ at }: { readonly at: string | Date | null | undefined }) => {
  const now = useSyncExternalStore(subscribe, () => minuteish);
  if (at === null || at === undefined) return <span className="faint">never</span>;
  const date = new Date(at);
  return (
    <time className="nowrap" dateTime={date.toISOString()} title={exact.format(date)}>
      {formatAgo(date, Math.max(now, minuteish))}
    </time>
  );
};
