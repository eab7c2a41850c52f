/** Kea's control channel: one question, one answer, over a UNIX socket. */
import { connect } from 'node:net';
import { HostwrightError } from '@hostwright/core';

export const askKea = (socket: string, command: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const connection = connect(socket);
    const refuse = (message: string, cause?: unknown): void =>
      reject(new HostwrightError('unavailable', { message, cause }));
    connection.setTimeout(5000, () => connection.destroy(new Error('no answer')));
    connection.once('connect', () => connection.write(JSON.stringify({ command })));
    connection.on('data', (chunk: Buffer) => chunks.push(chunk));
    connection.once('error', (error) => refuse(`Kea does not answer: ${error.message}`, error));
    connection.once('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString()));
      } catch (error) {
        refuse('Kea answered something that is no JSON', error);
      }
    });
  });
