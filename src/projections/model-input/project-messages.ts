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
 * Returns the messages of a conversation to send to a model. Every call has exactly one result (a lost one says so),
 * ids are unique and use only characters that all providers accept, roles alternate, no message is blank, and summaries
 * replace the messages that they cover. The inner work of subagents and superseded attempts are omitted. The first and
 * the last message are from the first and the last speaker of the conversation.
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
