/** What the rest of the engine does when a node dies, boots, goes or reports something new. */
export { removeNoderoles } from '../noderole/remove-noderoles.ts';
export { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
export { requestRefresh } from '../noderole/request-refresh.ts';
export { nodeLost, nodeRebooted } from '../run/node-lost.ts';
