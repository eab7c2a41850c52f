/**
 * What a command is, as data: help, shell completion and docs/reference/cli.md are made from this
 * without loading the command itself, which keeps the cold start short.
 */
import type { Invocation } from './invocation.ts';

/** What shell completion may offer for a value: asked of the server, or a file. */
export type Completes = 'node' | 'role' | 'deployment' | 'barclamp' | 'user' | 'file' | 'folder';

export interface ArgSpec {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** Takes all that follow. */
  readonly many?: boolean;
  readonly completes?: Completes;
  readonly choices?: readonly string[];
}

export interface OptionSpec {
  /** As commander takes it: `-f, --follow`, `--label <key=value>`. */
  readonly flags: string;
  readonly summary: string;
  /** May be given several times. */
  readonly many?: boolean;
  readonly default?: string;
  readonly completes?: Completes;
  readonly choices?: readonly string[];
}

export interface CommandModule {
  readonly run: (call: Invocation) => Promise<void>;
}

export interface CommandSpec {
  /** `node list`: noun, verb. A command that stands alone is one word. */
  readonly path: string;
  readonly summary: string;
  readonly details?: string;
  readonly args?: readonly ArgSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples?: readonly string[];
  /** Starts or reads the system itself and needs no server to talk to. */
  readonly local?: boolean;
  readonly hidden?: boolean;
  readonly load: () => Promise<CommandModule>;
}

export interface NounSpec {
  readonly name: string;
  readonly summary: string;
}
