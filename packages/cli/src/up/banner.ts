/** What a newcomer reads when everything runs. */
import type { Output } from '../output.ts';

export interface Running {
  readonly url: string;
  readonly signInUrl: string;
  readonly joinCommand: string;
  /** Only this machine can reach it. */
  readonly loopback: boolean;
  readonly dataDir: string;
  readonly customDataDir: boolean;
  readonly simulated: number;
  readonly seconds: number;
  readonly notes: readonly string[];
}

export const showBanner = (out: Output, running: Running): void => {
  const { paint } = out;
  const command = `npm run hostwright --${running.customDataDir ? ` --data-dir ${running.dataDir}` : ''}`;
  const lines = [
    '',
    paint('bold', `  Hostwright runs at ${running.url}`) +
      paint('dim', `  (${running.seconds.toFixed(1)} s)`),
    '',
    `  Sign in (once):   ${paint('cyan', running.signInUrl)}`,
    `  Add a machine:    ${running.joinCommand}`,
    ...(running.loopback
      ? [paint('dim', '                    (this machine only; --listen 0.0.0.0 lets others in)')]
      : []),
    `  Command line:     ${command} status`,
    `  Data and logs:    ${running.dataDir}`,
    ...(running.simulated > 0
      ? [`  Simulated rack:   ${running.simulated} machines, with the demo barclamp`]
      : []),
    ...running.notes.map((note) => paint('yellow', `  Note: ${note}`)),
    '',
    paint('dim', '  Ctrl-C stops everything.'),
    '',
  ];
  for (const line of lines) out.line(line);
};
