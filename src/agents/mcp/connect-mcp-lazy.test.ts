import { expect, it, vi } from 'vitest';
import { testProgram } from '../../../test/support/mcp.ts';
import { connectMcp } from './connect-mcp.ts';

const loaded = vi.hoisted(() => [] as string[]);
vi.mock('@modelcontextprotocol/client', original => {
  loaded.push('client');
  return original();
});

it('loads the MCP client when a server is connected, and not before', async () => {
  expect(loaded).toEqual([]);
  const source = await connectMcp(testProgram());
  await source.close();
  expect(loaded).toEqual(['client']);
});
