/**
 * A template language small enough to be safe: {{name}}, {{#if name}} … {{/if}}, {{#unless name}} …
 * {{/unless}}, {{#each name}} … {{this}} … {{/each}}. A value may hold no line break and no control
 * character, so that it can never add a line to a preseed, kickstart or YAML file; quotes are
 * refused too. An unknown name is an error, not an empty text.
 */
import { HostwrightError } from '@hostwright/core';

export type TemplateValue = string | readonly string[];
export type TemplateValues = Readonly<Record<string, TemplateValue>>;

const UNSAFE = /[\p{Cc}"'`\\]/u;

const plain = (name: string, value: string): string => {
  if (UNSAFE.test(value))
    throw new HostwrightError('bad_input', {
      message: `${name} holds a character that a template may not take`,
    });
  return value;
};

const lookUp = (values: TemplateValues, name: string): TemplateValue => {
  const value = values[name];
  if (value === undefined)
    throw new HostwrightError('bad_input', {
      message: `the template asks for {{${name}}}, which there is not`,
    });
  return value;
};

/** Innermost first. A tag alone on its line takes the line with it; within a line it takes nothing. */
const BLOCK = /\{\{#(if|unless|each) ([a-z_0-9]+)\}\}(\n?)((?:(?!\{\{#)[\s\S])*?)\{\{\/\1\}\}/;

export const renderTemplate = (template: string, values: TemplateValues): string => {
  let text = template;
  for (;;) {
    const match = BLOCK.exec(text);
    if (match === null) break;
    const [whole, kind, name = '', ownLine, inner = ''] = match;
    const value = lookUp(values, name);
    const filled = value.length > 0;
    const items = typeof value === 'string' ? [value] : value;
    const replaced =
      kind === 'each'
        ? items.map((item) => inner.replaceAll('{{this}}', () => plain(name, item))).join('')
        : (kind === 'if') === filled
          ? inner
          : '';
    const rest = text.slice(match.index + whole.length);
    text =
      text.slice(0, match.index) +
      replaced +
      (ownLine === '' || !rest.startsWith('\n') ? rest : rest.slice(1));
  }
  return text.replaceAll(/\{\{([a-z_0-9]+)\}\}/g, (_, name: string) => {
    const value = lookUp(values, name);
    return plain(name, typeof value === 'string' ? value : value.join(' '));
  });
};
