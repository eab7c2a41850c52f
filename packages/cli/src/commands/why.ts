import { ProblemError, type Client, type Why } from '@hostwright/api';
import { deployment_why } from '@hostwright/api/nouns/deployment-explain';
import { node_why } from '@hostwright/api/nouns/node-explain';
import { noderole_why } from '@hostwright/api/nouns/noderole';
import { connect } from '../connect.ts';
import { Failure } from '../failure.ts';
import { findNoderole } from '../find-noderole.ts';
import type { Invocation } from '../invocation.ts';

/** These show it at work, or what there is to choose from, and clear nothing. */
const LOOKS = /^hostwright (logs|watch|why|runs|role list|node (boots|actions))\b/;

const whyDeployment = async (client: Client, what: string) => {
  try {
    return await client.call(deployment_why, { params: { deployment: what } });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'not_found') throw error;
    throw new Failure('not_found', `there is neither a node nor a deployment ${what}`);
  }
};

const asked = async (client: Client, what: string): Promise<Why> => {
  if (/[/@]/.test(what) || /^\d+$/.test(what)) {
    const { id } = await findNoderole(client, what);
    return client.call(noderole_why, { params: { noderole: id } });
  }
  try {
    return await client.call(node_why, { params: { node: what } });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'not_found') throw error;
    const answer = await whyDeployment(client, what);
    const first = answer.causes[0];
    return {
      sentence: answer.sentence,
      cause: first?.cause ?? null,
      command: first?.command ?? null,
    };
  }
};

export const run = async (call: Invocation): Promise<void> => {
  const why = await asked(connect(call), call.arg('what'));
  call.out.answer(why, () => {
    call.out.line(why.sentence);
    if (why.command === null) return;
    const lead = LOOKS.test(why.command) ? 'to see more' : 'to clear it';
    call.out.line(`${lead}: ${call.out.paint('bold', why.command)}`);
  });
};
