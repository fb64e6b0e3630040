#!/usr/bin/env node
/** A program that prints the lines in its prompt, a list of `[stream, line]`: `1` is standard output, `2` standard error. */
import { writeSync } from 'node:fs';

for (const [stream, line] of JSON.parse(process.argv.at(-1).replace(/^--(print|text)=/, '')))
  writeSync(stream, `${line}\n`);
