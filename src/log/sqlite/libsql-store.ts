import { invalidArgument, optionsCheck } from '../../base/options/check-options.ts';
import { name } from '../../base/options/option-fields.ts';
import { filePath } from '../store/store-url.ts';
import { SqliteLog } from './sqlite-log.ts';

export interface LibSQLStoreOptions {
  /** The file, such as `file:./data.db`, or `:memory:`. */
  readonly url: string;
  /** Accepted for compatibility; a file needs no name. */
  readonly id?: string;
}

const checkOptions = optionsCheck<LibSQLStoreOptions>('new LibSQLStore')(() => ({
  url: name(),
  id: name().optional(),
}));

/** The SQLite log under the name and options of the Harness specification: a file that is given by its URL. */
export class LibSQLStore extends SqliteLog {
  /** Throws `invalid_argument` for a URL that is not a file, and for unknown options. */
  constructor(options: LibSQLStoreOptions) {
    checkOptions(options);
    super(toPath(options.url));
  }
}

function toPath(url: string): string {
  if (url === ':memory:') return url;
  if (url.startsWith('file:')) return filePath(url);
  const what = /^(libsql|https?|wss?):/.test(url) ? 'Remote databases are not supported' : 'It names no file';
  throw invalidArgument(`The store cannot open the URL "${url}". ${what}: use a file, such as "file:./data.db".`);
}
