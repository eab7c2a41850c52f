/** What people can do with a node's hammers: exactly the capabilities these say they have. */
import { HostwrightError } from '@hostwright/core';
import { HammerError, type Hammer } from '@hostwright/providers';

export interface HammerAction {
  readonly action: string;
  readonly hammer: string;
  readonly description: string;
  /** The machine stops working for a while, or for good. */
  readonly disruptive: boolean;
  readonly run: () => Promise<{ readonly power?: 'on' | 'off' }>;
}

/** The hammers of a node, the one to use first first; a provider opens them. */
export type OpenHammers = (nodeId: number) => Promise<readonly Hammer[]>;

const told = async (work: () => Promise<void>) => {
  await work();
  return {};
};

export const actionsOf = (hammer: Hammer): HammerAction[] => {
  const { power, bootDevice, reboot, kind } = hammer;
  const action = (
    name: string,
    description: string,
    options: Pick<HammerAction, 'disruptive' | 'run'>,
  ): HammerAction => ({
    action: name,
    hammer: kind,
    description,
    ...options,
  });
  return [
    ...(power === undefined
      ? []
      : [
          action('power-status', 'Ask whether it is on', {
            disruptive: false,
            run: async () => ({ power: await power.status() }),
          }),
          action('power-on', 'Switch it on', {
            disruptive: false,
            run: () => told(() => power.on()),
          }),
          action('power-off', 'Switch it off, hard', {
            disruptive: true,
            run: () => told(() => power.off()),
          }),
          action('power-reset', 'Start it anew, hard', {
            disruptive: true,
            run: () => told(() => power.reset()),
          }),
        ]),
    ...(bootDevice === undefined
      ? []
      : [
          action('boot-network', 'Boot from the network, next time only', {
            disruptive: false,
            run: () => told(() => bootDevice.setOnce('network')),
          }),
          action('boot-disk', 'Boot from disk, next time only', {
            disruptive: false,
            run: () => told(() => bootDevice.setOnce('disk')),
          }),
        ]),
    ...(reboot === undefined
      ? []
      : [
          action('reboot', 'Ask its system to restart', {
            disruptive: true,
            run: () => told(() => reboot.reboot()),
          }),
        ]),
  ];
};

/** What a hammer could not do, in words for people. */
export const carryOut = async (action: HammerAction) => {
  try {
    return await action.run();
  } catch (error) {
    if (!(error instanceof HammerError)) throw error;
    throw new HostwrightError(error.kind === 'unreachable' ? 'unavailable' : 'refused', {
      message: error.message,
      cause: error,
    });
  }
};
