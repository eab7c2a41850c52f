/** What the test jig is told, all under the attribute `test`; anything unsuitable is left out. */
import { isObject, type JsonObject, type JsonValue } from '@hostwright/core';

export interface TestSettings {
  /** Milliseconds the run takes. */
  readonly delayMs: number;
  /** Share of runs that fail, 0 to 1. The same run always fares the same. */
  readonly failureRate: number;
  readonly alwaysFails: boolean;
  /** Gives the worker back and ends when the evidence `test-done` comes. */
  readonly async: boolean;
  readonly retryable: boolean;
  /** What it writes back. */
  readonly wall: JsonObject | undefined;
  /** Lines it logs. */
  readonly lines: number;
}

const numberIn = (value: JsonValue | undefined, highest: number): number =>
  typeof value === 'number' && value >= 0 ? Math.min(value, highest) : 0;

export const readSettings = (attribs: JsonObject): TestSettings => {
  const given = isObject(attribs['test']) ? attribs['test'] : {};
  return {
    delayMs: numberIn(given['delay_ms'], 86_400_000),
    failureRate: numberIn(given['failure_rate'], 1),
    alwaysFails: given['always_fails'] === true,
    async: given['async'] === true,
    retryable: given['retryable'] !== false,
    wall: isObject(given['wall']) ? given['wall'] : undefined,
    lines: given['lines'] === undefined ? 1 : numberIn(given['lines'], 100_000),
  };
};
