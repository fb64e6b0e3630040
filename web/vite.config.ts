import { defineConfig } from 'vite';

export default defineConfig({
  build: { outDir: '../dist/web', emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:4747' } },
});
