/** The small bodies that machines send, checked before anything is done. Facts are the engine's to clean. */
import { HostwrightError } from '@hostwright/core';
import { z } from 'zod';

const LONGEST_TEXT = 4096;

const refuse = (message: string): HostwrightError =>
  new HostwrightError('bad_input', {
    message,
    refusals: [{ code: 'bad_input', path: '', message }],
  });

// PostgreSQL cannot store NUL in a text, and nothing that prints a serial should obey it.
// oxlint-disable-next-line no-control-regex -- these are what must not come in
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|[\ud800-\udfff]/gu;
const clean = (text: string): string => text.slice(0, LONGEST_TEXT).replace(CONTROLS, '\ufffd');

export const parseJson = (body: unknown): unknown => {
  if (!Buffer.isBuffer(body) || body.length === 0) throw refuse('the body must be JSON');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw refuse('the body is not JSON');
  }
};

export const BOOT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const shortText = z.string().max(LONGEST_TEXT).transform(clean);
const wholeNumber = z
  .number()
  .int()
  .min(0)
  .max(2 ** 40);

const shapes = {
  join: z.object({
    hostname: shortText.default(''),
    boot_id: z.string().regex(BOOT_ID).optional(),
    system_uuid: shortText.nullish(),
    serial: shortText.nullish(),
    macs: z.array(shortText).max(256).default([]),
    machine_id: shortText.nullish(),
  }),
  hello: z.object({
    boot_id: z.string().regex(BOOT_ID),
    agent_version: shortText.default(''),
    uptime_seconds: wholeNumber.optional(),
  }),
  result: z.object({
    exit_code: z.number().int().min(-1).max(255),
    reason: z.string().max(500).transform(clean).default(''),
    script: z.string().max(255).transform(clean).default(''),
    /** The wall itself, or - from a shell - the text that should be one. */
    wall: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
} as const;

export const readShape = <Name extends keyof typeof shapes>(
  name: Name,
  body: unknown,
): z.output<(typeof shapes)[Name]> => {
  const parsed = shapes[name].safeParse(parseJson(body));
  if (parsed.success) return parsed.data as z.output<(typeof shapes)[Name]>;
  const refusals = parsed.error.issues.map((issue) => ({
    code: 'bad_input',
    path: issue.path.join('/'),
    message: issue.message,
  }));
  throw new HostwrightError('bad_input', { refusals });
};
