import { describe, it } from 'vitest';
import { logConformance } from '../testing/log-conformance.ts';
import { MemoryLog } from './memory-log.ts';

describe('MemoryLog', () => {
  logConformance({ describe, it }, { open: async options => new MemoryLog(options), leasesByUptime: true });
});
