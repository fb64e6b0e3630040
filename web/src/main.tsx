import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient } from '../../src/client/create-client.ts';
import { App } from './app/app.tsx';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App client={createClient()} />
    </StrictMode>,
  );
