import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, pageOf, pageQuery } from '../schema.ts';

export const bootFile = z.object({
  path: z.string(),
  sha256: z.string(),
  size: z.number().int(),
  updatedAt: at,
});

const path = z
  .string()
  .min(1)
  .max(255)
  .describe('where it is served, such as images/default.tar.gz or debian-13/linux');

export const boot_file_list = defineOperation({
  id: 'boot_file_list',
  method: 'GET',
  path: '/boot-files',
  summary: 'Kernels, initrds and images that are served, with their checksums',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    q: z.string().max(255).optional().describe('part of the path'),
  }),
  answer: pageOf(bootFile),
});

export const boot_file_put = defineOperation({
  id: 'boot_file_put',
  method: 'PUT',
  path: '/boot-files',
  summary: 'Take in a kernel, an initrd or an image: whole and checked, or not at all',
  access: 'admin',
  takes: 'bytes',
  query: z.object({
    path,
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'a SHA-256 checksum, in hexadecimal')
      .optional()
      .describe('what it must be; anything else is refused'),
    size: z.coerce
      .number()
      .int()
      .min(0)
      .max(2 ** 50)
      .optional()
      .describe('bytes that will come: refused at once if there is no room'),
  }),
  answer: bootFile,
});

export const boot_file_delete = defineOperation({
  id: 'boot_file_delete',
  method: 'DELETE',
  path: '/boot-files',
  summary: 'Remove a file that is served; refused while an installation reads it',
  access: 'admin',
  query: z.object({ path }),
  status: 204,
});
