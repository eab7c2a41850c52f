import { HostwrightError } from '@hostwright/core';

const NAME = /^[a-z][a-z0-9._-]{0,254}$/;

export const checkDeploymentName = (name: string): void => {
  if (NAME.test(name)) return;
  const message =
    name.length > 255
      ? 'the name is longer than 255 characters'
      : 'a name is lower case letters, digits, dot, dash and underscore, and begins with a letter';
  throw new HostwrightError('bad_input', {
    message,
    refusals: [{ code: 'bad_name', path: 'name', message }],
  });
};
