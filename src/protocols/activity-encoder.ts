import { optionsCheck } from '../base/options/check-options.ts';
import { callback } from '../base/options/option-fields.ts';
import type { Activity } from '../projections/activity/activity.ts';
import { createActivityState, type LineOf, projectActivity } from '../projections/activity/project-activity.ts';
import type { Encoder } from './encoder.ts';

export interface ActivityOptions {
  /** Looks up raw lines, for activity that is encoded as it was printed. */
  readonly lineOf?: LineOf | undefined;
}

const checkOptions = optionsCheck<ActivityOptions>('activityEncoder')(() => ({ lineOf: callback().optional() }));

/** Encodes the activity of every run in the events: commands, reads, writes, searches, the same for every agent. */
export function activityEncoder(options: ActivityOptions = {}): Encoder<Activity> {
  checkOptions(options);
  const { lineOf } = options;
  const state = createActivityState();
  return { encode: event => projectActivity(state, event, lineOf), end: () => [] };
}
