/**
 * The signature of a webhook delivery: HMAC-SHA256 over `<unix seconds>.<body>` with the webhook's
 * secret, in the header `Hostwright-Signature: t=<unix seconds>,v1=<hex>`. The time is under the
 * signature, so an old delivery cannot be sent again by somebody else.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_HEADER = 'Hostwright-Signature';

export const signWebhook = (options: {
  readonly secret: string;
  readonly body: string;
  readonly seconds: number;
}): string => {
  const mac = createHmac('sha256', options.secret)
    .update(`${options.seconds}.${options.body}`)
    .digest('hex');
  return `t=${options.seconds},v1=${mac}`;
};

/** What a receiver does. `toleranceSeconds` bounds how old a delivery may be. */
export const verifyWebhook = (options: {
  readonly secret: string;
  readonly body: string;
  readonly signature: string;
  readonly nowSeconds: number;
  readonly toleranceSeconds?: number;
}): boolean => {
  const seconds = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(options.signature)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(seconds)) return false;
  if (Math.abs(options.nowSeconds - seconds) > (options.toleranceSeconds ?? 300)) return false;
  const given = Buffer.from(options.signature);
  const expected = Buffer.from(
    signWebhook({ secret: options.secret, body: options.body, seconds }),
  );
  return given.length === expected.length && timingSafeEqual(given, expected);
};
