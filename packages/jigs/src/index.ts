export { noopJig } from './noop/noop.ts';
