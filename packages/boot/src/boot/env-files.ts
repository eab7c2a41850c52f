/**
 * The files of a boot environment `e`: its kernels, its initrds, and what its command line makes an
 * installer fetch. Whoever asks what is missing and whoever asks what may be removed ask the same.
 */
import { sql, type RawBuilder } from 'kysely';

export const envFiles: RawBuilder<string[]> = sql<
  string[]
>`(e.initrds || e.kernel || e.kernel_efi ||
  array(select named[1] from regexp_matches(e.cmdline, '/boot/v1/files/([^[:space:]?]+)', 'g') named))`;
