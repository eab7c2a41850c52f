import { z } from 'zod';

/** First in the file: what it takes to read the rest. */
export const backupHead = z.object({
  format: z.literal(1),
  product: z.literal('hostwright'),
  schema: z.int().positive(),
  createdAt: z.string(),
});
export type BackupHead = z.output<typeof backupHead>;

/** Last in the file: what must have been read. A file without it is cut off. */
export const backupManifest = z.object({
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int().min(0),
      bytes: z.int().min(0),
      sha256: z.string(),
    }),
  ),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string(), isCalled: z.boolean() })),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
});
export type BackupManifest = z.output<typeof backupManifest>;

export const HEAD = 'backup.json';
export const MANIFEST = 'manifest.json';
/** Tables are cut into pieces of this size, so that a piece fits into memory. */
export const PIECE = 4 * 1024 * 1024;
export const LARGEST_ENTRY = 64 * 1024 * 1024;
