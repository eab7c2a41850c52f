import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

// Everything is served from the server's own origin under a strict policy: no inlined assets (data
// URLs of scripts and workers would be refused), no module preload polyfill (an inline script).
export default defineConfig({
  root,
  plugins: [react()],
  resolve: { alias: { zod: join(root, 'src/no-zod.ts') } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      '/api': { target: process.env['HOSTWRIGHT_URL'] ?? 'http://127.0.0.1:4680', secure: false },
    },
  },
});
