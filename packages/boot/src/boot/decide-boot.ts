/**
 * What a machine that asks is to boot: a pure function of what the database says. The answer to
 * anything doubtful is the machine's own disk, or the discovery image, which writes to no disk.
 * An installer is handed out only for an intent that a run has made; once the disk may have been
 * touched it is never handed out again for that run.
 */
export const MAX_INSTALLER_BOOTS = 3;

export interface BootFacts {
  readonly node: { readonly id: number; readonly name: string; readonly bootenv: string } | null;
  /** Two nodes claim to be this machine. */
  readonly contested: boolean;
  /** Of this node: not used, not void, not expired. */
  readonly openIntent: { readonly id: number; readonly bootenv: string } | null;
  readonly install: {
    readonly phase: string;
    readonly wipeGranted: boolean;
    readonly boots: number;
    readonly bootenv: string;
  } | null;
  readonly unknownMachines: 'discovery' | 'local';
  /** More strangers have asked lately than a rack could hold, or this node more often than a machine can boot. */
  readonly flooded: boolean;
}

export type BootDecision =
  | { readonly kind: 'local'; readonly reason: string; readonly refused?: boolean }
  | {
      readonly kind: 'use';
      readonly intentId: number;
      readonly bootenv: string;
      readonly reason: string;
    }
  | { readonly kind: 'make'; readonly bootenv: string; readonly reason: string }
  /** The installer was cut off after it may have written: the run ends in error once this boot is under way. */
  | { readonly kind: 'interrupted'; readonly bootenv: string; readonly reason: string };

export const decideBoot = (facts: BootFacts): BootDecision => {
  const { node, install } = facts;
  if (facts.contested)
    return { kind: 'local', reason: 'two nodes claim this machine', refused: true };
  if (node === null) {
    if (facts.flooded)
      return { kind: 'local', reason: 'too many unknown machines ask', refused: true };
    return facts.unknownMachines === 'discovery'
      ? { kind: 'make', bootenv: 'discovery', reason: 'an unknown machine' }
      : { kind: 'local', reason: 'unknown machines are not discovered here' };
  }
  if (install?.phase === 'installing') {
    if (install.wipeGranted) {
      return {
        kind: 'interrupted',
        bootenv: 'discovery',
        reason: 'the machine booted again before its installer had finished',
      };
    }
    return install.boots < MAX_INSTALLER_BOOTS
      ? {
          kind: 'make',
          bootenv: install.bootenv,
          reason: 'the installer was cut off before it touched a disk',
        }
      : {
          kind: 'interrupted',
          bootenv: 'discovery',
          reason: `the installer did not start in ${install.boots} boots`,
        };
  }
  if (facts.openIntent !== null) {
    return {
      kind: 'use',
      intentId: facts.openIntent.id,
      bootenv: facts.openIntent.bootenv,
      reason: 'a boot intent',
    };
  }
  if (install?.phase === 'restart')
    return { kind: 'local', reason: 'the installed system is to start' };
  if (node.bootenv === 'discovery' && facts.flooded)
    return { kind: 'local', reason: 'this machine asks too often', refused: true };
  if (node.bootenv === 'discovery')
    return { kind: 'make', bootenv: 'discovery', reason: 'its boot environment is discovery' };
  return {
    kind: 'local',
    reason: node.bootenv === 'local' ? 'its boot environment is local' : 'no boot intent is open',
  };
};
