/** Renders one file of an OS template for one installation; also what the console previews. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import type { BootDeps } from '../boot/deps.ts';
import type { LiveInstall } from '../install/callbacks.ts';
import type { InstallPlan } from '../install/plan.ts';
import { isFilePath } from '../valid.ts';
import { renderTemplate } from './render.ts';
import { templateValues } from './values.ts';

export const previewTemplateFile = async (
  folder: string,
  options: {
    readonly file: string;
    readonly plan: InstallPlan;
    readonly installUrl: string;
    readonly bootUrl: string;
  },
): Promise<string> => {
  if (!isFilePath(options.file) || options.file.includes('/'))
    throw new HostwrightError('not_found');
  const template = await readFile(join(folder, `${options.file}.tmpl`), 'utf8').catch(() => null);
  if (template === null)
    throw new HostwrightError('not_found', { message: 'the template has no such file' });
  return renderTemplate(
    template,
    templateValues(options.plan, { install: options.installUrl, bootUrl: options.bootUrl }),
  );
};

export const renderTemplateFile = async (
  tx: Tx,
  wanted: {
    readonly install: LiveInstall;
    readonly file: string;
    readonly deps: BootDeps;
    readonly token?: string;
  },
): Promise<string> => {
  const template = await tx
    .selectFrom('os_template')
    .select('folder')
    .where('name', '=', wanted.install.plan.os)
    .executeTakeFirst();
  if (template === undefined)
    throw new HostwrightError('not_found', { message: 'the OS template is gone' });
  return previewTemplateFile(template.folder, {
    file: wanted.file,
    plan: wanted.install.plan,
    installUrl: `${wanted.deps.bootUrl}/boot/v1/install/${wanted.token ?? ''}`,
    bootUrl: wanted.deps.bootUrl,
  });
};
