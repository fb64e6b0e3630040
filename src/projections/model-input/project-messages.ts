import * as z from 'zod';
import { optionsCheck } from '../../base/options/check-options.ts';
import { flag, number } from '../../base/options/option-fields.ts';
import type { Active } from '../../graph/conversation/active.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { conversationFold, type Fold } from '../fold.ts';
import type { Message } from '../message.ts';
import { type MessagesOptions, ModelInput } from './model-input.ts';

const checkOptions = optionsCheck<MessagesOptions>('projectMessages')(() => ({
  history: z.array(z.unknown()).optional(),
  maxOutputLength: number().optional(),
  memory: z.array(z.string()).optional(),
  continuesObservations: flag().optional(),
}));

/**
 * What a model is sent of a conversation. Every call has exactly one result (one without an outcome says so), ids are
 * unique and of the characters all providers accept, roles alternate, nothing is blank, summaries stand for what they
 * cover, and what subagents did inside and superseded attempts are left out. Whoever spoke first is first, and whoever
 * spoke last is last.
 */
export function projectMessages(conversation: Conversation, active: Active, options: MessagesOptions = {}): Message[] {
  checkOptions(options);
  return [...new ModelInput(options).of(conversation, active)];
}

/** The messages of the active branch, as a fold. */
export function messagesFold(options: MessagesOptions = {}): Fold<Conversation, Message[]> {
  checkOptions(options);
  return conversationFold((conversation, active) => projectMessages(conversation, active, options));
}
