import type { AgentEvent } from '../../../events/vocabulary.ts';
import { getCost } from '../../model/prices/prices.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';

/** Adds the cost from the price list to usage without a reported cost, when the model is known. */
export function withCost({ prices }: CliAdapter, event: AgentEvent): AgentEvent {
  if (event.type !== 'usage' || event.cost !== undefined || event.agentId !== undefined) return event;
  if (event.model === undefined || prices === undefined) return event;
  const cost = getCost({ provider: prices, model: event.model.replace(/^.*\//, '') }, event);
  return cost === undefined ? event : { ...event, cost };
}
