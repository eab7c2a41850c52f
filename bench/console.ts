/**
 * The console in headless Chromium against a recording (bench/console-replay.ts): what the browser
 * itself needs, with no server, worker or simulator beside it.
 */
import { readFileSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type CDPSession,
  type Page,
} from 'playwright-core';
import { buildConsole, CONSOLE_DIST } from '../packages/cli/src/up/build-console.ts';
import { startReplay, type Replay } from './console-replay.ts';

export const NODES = 10_000;

export interface Tab {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly debug: CDPSession;
  readonly replay: Replay;
  close(): Promise<void>;
}

export const openTab = async (): Promise<Tab> => {
  const built = await buildConsole(new AbortController().signal);
  if (!built.ok) throw new Error(built.note);
  const replay = await startReplay(CONSOLE_DIST, { nodes: NODES, roles: 30, matrixNodes: 1000 });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const debug = await context.newCDPSession(page);
  return {
    browser,
    context,
    page,
    debug,
    replay,
    close: async () => {
      await browser.close();
      await replay.stop();
    },
  };
};

/** Opens a page and waits until what was asked for has been drawn; milliseconds since the navigation began. */
export const openPage = async (tab: Tab, path: string, mark: string): Promise<number> => {
  await tab.page.goto(tab.replay.url + path);
  return tab.page.evaluate(
    (name) =>
      new Promise<number>((found) => {
        const look = (): void => {
          const [entry] = performance.getEntriesByName(name);
          if (entry === undefined) setTimeout(look, 5);
          else found(entry.startTime);
        };
        look();
      }),
    mark,
  );
};

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  /** The same in the thread's own time: what other processes took away is not in it. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
}

/** Work of the page's main thread from one frame's hand-over to the compositor to the next, in ms, while `act` goes on. */
export const traceFrames = async (
  tab: Tab,
  act: () => Promise<void>,
): Promise<readonly number[]> => {
  const categories = [
    'toplevel',
    'devtools.timeline',
    'disabled-by-default-devtools.timeline',
    'devtools.timeline.frame',
  ];
  await tab.browser.startTracing(tab.page, { categories });
  await act();
  const text = (await tab.browser.stopTracing()).toString();
  const { traceEvents: events } = JSON.parse(text) as { traceEvents: TraceEvent[] };
  return frameWork(events);
};

const frameWork = (events: readonly TraceEvent[]): readonly number[] => {
  const mains = events.filter(
    (event) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain',
  );
  const frames = events.filter((event) => event.name === 'Commit');
  // the page's own renderer is the one that draws most frames
  const busiest = mains
    .map((main) => ({ ...main, count: frames.filter((frame) => frame.pid === main.pid).length }))
    .toSorted((a, b) => b.count - a.count)[0];
  if (busiest === undefined) return [];
  const starts = frames
    .filter((frame) => frame.pid === busiest.pid)
    .map((frame) => frame.ts)
    .toSorted((a, b) => a - b);
  const tasks = events
    .filter(
      (event) =>
        event.name === 'RunTask' &&
        event.ph === 'X' &&
        event.pid === busiest.pid &&
        event.tid === busiest.tid,
    )
    .toSorted((a, b) => a.ts - b.ts);
  const work = starts.map(() => 0);
  let frame = 0;
  for (const task of tasks) {
    const middle = task.ts + (task.dur ?? 0) / 2;
    while (frame + 1 < starts.length && (starts[frame + 1] ?? 0) <= middle) frame += 1;
    if ((starts[frame] ?? Infinity) <= middle)
      work[frame] = (work[frame] ?? 0) + (task.tdur ?? task.dur ?? 0) / 1000;
  }
  return work;
};

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

/** Scrolls as a wheel does, up and down, for about five seconds. */
export const scroll = async (
  tab: Tab,
  at: { readonly x: number; readonly y: number },
): Promise<void> => {
  for (const distance of [-3000, 2400, -3000, 2400])
    await tab.debug.send('Input.synthesizeScrollGesture', {
      ...at,
      yDistance: distance,
      speed: 2200,
      gestureSourceType: 'mouse',
    });
};

/** The longest pause between two frames while time passes, and how many frames there were. */
export const watchFrames = (
  tab: Tab,
  seconds: number,
): Promise<{ readonly longest: number; readonly frames: number }> =>
  tab.page.evaluate(
    `new Promise((done) => {
      let last = performance.now(), longest = 0, frames = 0;
      const end = last + ${seconds * 1000};
      const step = (now) => {
        longest = Math.max(longest, now - last);
        last = now;
        frames += 1;
        if (now < end) requestAnimationFrame(step); else done({ longest, frames });
      };
      requestAnimationFrame((now) => { last = now; requestAnimationFrame(step); });
    })`,
  );

/** Memory that only this tab's process holds (private pages), and all it has resident, in MB. */
export const tabMemory = async (
  tab: Tab,
): Promise<{ readonly own: number; readonly resident: number }> => {
  const debug = await tab.browser.newBrowserCDPSession();
  const { processInfo } = await debug.send('SystemInfo.getProcessInfo');
  await debug.detach();
  const sizes = processInfo
    .filter((each) => each.type === 'renderer')
    .map(({ id }) => {
      const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
      const read = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
      return {
        own: read('Private_Clean') + read('Private_Dirty') + read('Swap'),
        resident: read('Rss'),
      };
    });
  return sizes.toSorted((a, b) => b.own - a.own)[0] ?? { own: 0, resident: 0 };
};

/** JavaScript that had come by the time of the first useful paint, as it went over the wire with gzip. */
export const javaScriptSize = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const scripts = performance
      .getEntriesByType('resource')
      .map((entry) => entry.name)
      .filter((name) => name.endsWith('.js'));
    const sizes = await Promise.all(
      scripts.map(async (name) => {
        const body = (await fetch(name)).body;
        if (body === null) return 0;
        const packed = await new Response(
          body.pipeThrough(new CompressionStream('gzip')),
        ).arrayBuffer();
        return packed.byteLength;
      }),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  });
