import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

/** Compressed once here, so that the server sends files and compresses nothing. */
const compress = () => ({
  name: 'compress',
  closeBundle: () => {
    const folder = join(root, 'dist/assets');
    for (const name of readdirSync(folder).filter((each) => /\.(js|css)$/.test(each))) {
      const content = readFileSync(join(folder, name));
      if (content.length < 1400) continue;
      writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
      const quality = { [constants.BROTLI_PARAM_QUALITY]: 8 };
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params: quality }));
    }
  },
});

// Everything is served from the server's own origin under a strict policy: no inlined assets (data
// URLs of scripts and workers would be refused), no module preload polyfill (an inline script).
export default defineConfig({
  root,
  plugins: [react(), compress()],
  resolve: { alias: { zod: join(root, 'src/no-zod.ts') } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    reportCompressedSize: false,
    // compressing takes its second; no need to be told at each build
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: {
      '/api': { target: process.env['HOSTWRIGHT_URL'] ?? 'http://127.0.0.1:4680', secure: false },
    },
  },
});
