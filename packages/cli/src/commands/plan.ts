import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import { connect } from '../connect.ts';
import { Failure } from '../failure.ts';
import { findProposal } from '../find-snapshot.ts';
import type { Invocation } from '../invocation.ts';
import { showPlan } from '../show-plan.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const snapshot = await findProposal(client, deployment);
  const plan = await client.call(snapshot_plan, { params: { snapshot } });
  call.out.answer(plan, () => showPlan(call.out, plan, deployment));
  if (plan.refusals.length > 0) throw new Failure('refused', 'this plan cannot be committed');
};
