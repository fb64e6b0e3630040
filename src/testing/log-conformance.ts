import { optionsCheck } from '../base/options/check-options.ts';
import { callback, flag } from '../base/options/option-fields.ts';
import { appendLaws } from './log-conformance/append-laws.ts';
import { branchLaws } from './log-conformance/branch-laws.ts';
import { closeLaws, reopenLaws } from './log-conformance/close-laws.ts';
import { concurrencyLaws } from './log-conformance/concurrency-laws.ts';
import { conditionLaws } from './log-conformance/condition-laws.ts';
import { contentLaws, storedContentLaws } from './log-conformance/content-laws.ts';
import { fidelityLaws } from './log-conformance/fidelity-laws.ts';
import { importLaws } from './log-conformance/import-laws.ts';
import { leaseJumpLaws, leaseLaws } from './log-conformance/lease-laws.ts';
import { openLaws } from './log-conformance/open-laws.ts';
import { rawLineLaws } from './log-conformance/raw-line-laws.ts';
import { readLaws } from './log-conformance/read-laws.ts';
import { lawsFor, type LogUnderTest, type TestRunner } from './log-conformance/suite.ts';
import { timeLaws } from './log-conformance/time-laws.ts';
import { searchLaws } from './log-conformance/search-laws.ts';
import { tailEndLaws, tailLaws } from './log-conformance/tail-laws.ts';
import { listingLaws, threadLaws } from './log-conformance/thread-laws.ts';
import { usageLaws } from './log-conformance/usage-laws.ts';
import { windowLaws } from './log-conformance/window-laws.ts';

export type { LogUnderTest, TestRunner } from './log-conformance/suite.ts';

const checkOptions = optionsCheck<LogUnderTest>('logConformance')(() => ({
  open: callback(),
  reopen: callback().optional(),
  leasesByUptime: flag().optional(),
  join: callback().optional(),
  storedBytes: callback().optional(),
}));

/**
 * Registers tests that check an implementation of `EventLog` against every sentence of its contract: first those of
 * `EventStore`, then those of `EventIndex`, which a store without an index passes too.
 */
export function logConformance(runner: TestRunner, underTest: LogUnderTest): void {
  checkOptions(underTest);
  runner.describe('store', () => storeLaws(runner, underTest));
  runner.describe('index', () => indexLaws(runner, underTest));
}

function storeLaws(runner: TestRunner, underTest: LogUnderTest): void {
  const law = lawsFor(runner, underTest);
  runner.describe('append', () => {
    appendLaws(law);
    conditionLaws(law);
  });
  runner.describe('events', () => {
    fidelityLaws(law);
    timeLaws(law);
  });
  runner.describe('long texts', () => {
    contentLaws(law);
    storedContentLaws(runner, underTest);
  });
  runner.describe('read', () => readLaws(law));
  runner.describe('tail', () => {
    tailLaws(law);
    tailEndLaws(law);
  });
  runner.describe('threads', () => {
    threadLaws(law);
    listingLaws(law);
  });
  runner.describe('branch', () => branchLaws(law));
  runner.describe('open things', () => openLaws(law));
  runner.describe('imported events', () => importLaws(law));
  runner.describe('lease', () => {
    leaseLaws(law);
    if (underTest.leasesByUptime === true) leaseJumpLaws(law);
  });
  runner.describe('several processes', () => concurrencyLaws(runner, underTest));
  runner.describe('raw lines', () => rawLineLaws(law));
  runner.describe('close', () => {
    closeLaws(law);
    reopenLaws(runner, underTest);
  });
}

function indexLaws(runner: TestRunner, underTest: LogUnderTest): void {
  const law = lawsFor(runner, underTest);
  runner.describe('windows', () => windowLaws(law));
  runner.describe('search', () => searchLaws(law));
  runner.describe('usage', () => usageLaws(law));
}
