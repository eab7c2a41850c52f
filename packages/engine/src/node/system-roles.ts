/** A new node gets its discovery roles in the transaction that makes it. */
export { bindSystemRoles } from '../binding/bind-system-roles.ts';
