import { LineContext } from './line-context.ts';
import type { Translator, TranslatorOptions } from '../contract/translator.ts';
import { toRecord, type WireRecord } from './wire-value.ts';
import { parseJson } from '../../../base/parse-json.ts';

/** Translates the records of one program. */
export interface RecordReader {
  /**
   * Receives every line first and returns true when it consumed it, for programs that also print lines that are not
   * records.
   */
  takeLine?(line: string): boolean;
  /** Emits the events of one record. */
  take(record: WireRecord): void;
  /** Emits the final events at the end of the stream. */
  flush(): void;
}

/** Creates a translator for programs that print one JSON object per line. */
export function lineTranslator(
  { runId }: TranslatorOptions,
  readerFor: (context: LineContext) => RecordReader,
  about: Pick<Translator, 'isInteractive'> = {},
): Translator {
  const context = new LineContext(runId);
  const reader = readerFor(context);
  let count = 0;
  return {
    ...about,
    translate(line, number) {
      count++;
      context.begin(number ?? count);
      if (reader.takeLine?.(line) !== true && line.trim() !== '') take(line);
      return context.end();
    },
    flush() {
      context.begin(undefined);
      reader.flush();
      context.close();
      return context.end();
    },
    get failure() {
      return context.failure;
    },
    get finished() {
      return context.finished;
    },
  };

  function take(line: string): void {
    const value = parseJson(line, line);
    const record = toRecord(value);
    if (record === undefined) context.unknown(value);
    else
      try {
        reader.take(record);
      } catch {
        // Keep records that are not understood, so that nothing is lost.
        context.unknown(value);
      }
  }
}
