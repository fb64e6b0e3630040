import { lineTranslator } from '../../shared/line-translator.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { PiReader } from './reader.ts';

/** Translates the output of `pi --mode json --print`. */
export function piTranslator(options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new PiReader(context));
}
