import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Scripts find each other by relative addresses; those in the page begin with what the service puts in this place.
  base: command === 'build' ? './' : '/console/',
  plugins: [react()],
  resolve: {
    alias: { '@itemwright/client': fileURLToPath(new URL('../packages/client/src/index.ts', import.meta.url)) },
  },
  // The service puts a fresh nonce in this place whenever it answers the page.
  html: { cspNonce: 'NONCE' },
  build: {
    target: 'es2023',
    // New enough for `light-dark()`, which must not be rewritten: it follows the scheme that the page is given.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Nothing may be inlined into scripts or styles that the content security policy would then have to allow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
  // `npm run console:dev` shows changes at once, and asks a service that runs at its usual place.
  server: { proxy: { '^/(?!console)': 'http://127.0.0.1:8080' } },
}));
