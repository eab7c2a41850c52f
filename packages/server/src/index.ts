export { createServer, type Server, type ServerOptions, type ServerPlugin } from './compose.ts';
export { startServer, type StartedServer } from './start.ts';
export { DEFAULTS, type ServerConfig, type TlsFiles } from './config.ts';
export type { HammerAction, HammerDriver, HammerTarget } from './hammer-driver.ts';
export type { Context } from './context.ts';
export { openMasterKey } from './master-key.ts';
export { openOwnCa, type OwnCa } from './tls/own-ca.ts';
export { openTls, ownNames, type Tls } from './tls/tls.ts';
export { bootDeps, bootPlugin, type BootOptions } from './boot/plugin.ts';
