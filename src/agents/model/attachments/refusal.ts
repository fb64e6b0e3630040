import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';

const refusedStatus: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** A request that is too long is refused whatever its attachments are. */
const tooLong = /context.{0,20}(length|window)|prompt is too long|maximum context|too many tokens/i;

/** Whether a provider refused a request because of its content: attachments may be the cause. */
export function isRefusal(error: unknown): boolean {
  if (APICallError.isInstance(error)) return refusedStatus.has(error.statusCode ?? 0) && !tooLong.test(error.message);
  return (
    UnsupportedFunctionalityError.isInstance(error) ||
    InvalidPromptError.isInstance(error) ||
    InvalidArgumentError.isInstance(error)
  );
}

/** Whether a refusal names a media type. */
export function refusedType(error: unknown, mediaType: string): boolean {
  return error instanceof Error && mediaType !== '' && error.message.includes(mediaType);
}
