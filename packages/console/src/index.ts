/** What other packages see of the console: its built folder, and how to build it. */
export { buildConsole, consoleFolder, consoleIsBuilt } from './build.ts';
