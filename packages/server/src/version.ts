/** One version for all packages. */
export const VERSION = '0.1.0';
