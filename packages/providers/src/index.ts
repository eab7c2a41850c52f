export { addMachine, type LabMachine, type MachineOptions } from './lab/machine.ts';
export { buildRack, type Rack, type RackOptions } from './lab/rack.ts';
export { missingForRack } from './lab/requirements.ts';
export { runCommand } from './lab/run-command.ts';
