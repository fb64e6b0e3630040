import { defined } from '../../base/defined.ts';

/** A row of the table of messages: a message of a person, or one run of an agent. */
export interface StoredMessage {
  readonly id: string;
  /** Its predecessor on its branch; absent at the beginning, and for the run of a subagent. */
  readonly parentMessageId?: string;
  /** The chunk that started the run, for a subagent. */
  readonly spawnedBy?: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly runId: string;
  /** Absent until the message is complete. */
  readonly text?: string;
  readonly firstSeq: number;
  readonly lastSeq?: number;
}

export interface StoredMessageRow {
  readonly id: string;
  readonly parent_message_id: string | null;
  readonly spawned_by: string | null;
  readonly role: StoredMessage['role'];
  readonly run_id: string;
  readonly text: string | null;
  readonly first_seq: string;
  readonly last_seq: string | null;
}

export function toStoredMessage(row: StoredMessageRow): StoredMessage {
  const { id, role, run_id: runId, first_seq, last_seq } = row;
  const place = { parentMessageId: row.parent_message_id ?? undefined, spawnedBy: row.spawned_by ?? undefined };
  const end = { text: row.text ?? undefined, lastSeq: last_seq === null ? undefined : Number(last_seq) };
  return { id, role, runId, firstSeq: Number(first_seq), ...defined(place), ...defined(end) };
}
