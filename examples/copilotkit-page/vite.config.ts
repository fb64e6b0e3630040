import { defineConfig } from 'vite';

// The page asks the server of `npx singletree serve --no-open --port 4747 --token a-token-for-development`.
export default defineConfig({ server: { proxy: { '/api': 'http://127.0.0.1:4747' } } });
