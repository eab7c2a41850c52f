/**
 * A hammer acts on a machine from outside (BMC) or inside (agent). What it can do is data: optional
 * capability objects, so that a node's hammers can be asked before one is used. Every command is
 * checked: a result is what the machine was seen to be afterwards, never that a command was sent.
 */
export type PowerState = 'on' | 'off';

export interface PowerCapability {
  status(): Promise<PowerState>;
  /** Each returns only after the state has been seen. */
  on(): Promise<void>;
  off(): Promise<void>;
  /** Off, seen; on, seen: the machine starts anew, and a BMC that does nothing is found out. */
  reset(): Promise<void>;
}

export type BootDevice = 'network' | 'disk';

export interface BootDeviceCapability {
  /** For the next boot only. */
  setOnce(device: BootDevice): Promise<void>;
}

export interface RebootCapability {
  /** Asks the running system to restart; cannot help a machine that hangs. */
  reboot(): Promise<void>;
}

export interface VirtualMediaCapability {
  insert(url: string): Promise<void>;
  eject(): Promise<void>;
}

export interface Hammer {
  readonly kind: string;
  readonly power?: PowerCapability;
  readonly bootDevice?: BootDeviceCapability;
  readonly reboot?: RebootCapability;
  readonly virtualMedia?: VirtualMediaCapability;
}

/** Why a hammer could not do a thing; the text is for people and holds no secret. */
export class HammerError extends Error {
  readonly kind: 'unreachable' | 'refused' | 'lied';

  constructor(kind: 'unreachable' | 'refused' | 'lied', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HammerError';
    this.kind = kind;
  }
}
