import { isOutsideFolder } from './outside-folder.ts';

/** A call of a program: its arguments, and the folder that it runs in when that is known. */
export interface ProgramCall {
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
}

/** Returns what a call of a program does that cannot be undone; undefined when it does no such thing. */
type Risk = (call: ProgramCall) => string | undefined;

const always =
  (reason: string): Risk =>
  () =>
    reason;

/** The risk of a program with one of these words among its arguments. */
const withWord =
  (pattern: RegExp, reason: string): Risk =>
  ({ args }) =>
    args.some(arg => pattern.test(arg)) ? reason : undefined;

const findFirst =
  (...risks: readonly Risk[]): Risk =>
  call =>
    risks.map(risk => risk(call)).find(reason => reason !== undefined);

/** The arguments that are no options. */
function operandsIn(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter(arg => !/^-./.test(arg)), ...(end < 0 ? [] : args.slice(end + 1))];
}

function listNames(words: readonly string[]): string {
  return words.length <= 3 ? words.join(', ') : `${words.slice(0, 3).join(', ')} and ${words.length - 3} more`;
}

const deletes: Risk = ({ args }) => {
  const files = operandsIn(args);
  return files.length === 0 ? undefined : `deletes ${listNames(files)}`;
};

/** Files that a program writes: only those outside of the folder are a risk. */
const writes =
  (filesIn: (operands: readonly string[]) => readonly string[]): Risk =>
  ({ args, cwd }) => {
    const outside = filesIn(operandsIn(args)).filter(file => isOutsideFolder(file, cwd));
    return outside.length === 0 ? undefined : `writes ${listNames(outside)}`;
  };

const changesRights: Risk = ({ args, cwd }) => {
  const [, ...files] = operandsIn(args);
  if (files.length > 0 && args.some(arg => /^(?:-\w*R|--recursive$)/.test(arg)))
    return `changes the rights of everything in ${listNames(files)}`;
  const outside = files.filter(file => isOutsideFolder(file, cwd));
  return outside.length === 0 ? undefined : `changes the rights of ${listNames(outside)}`;
};

const overwritesByDd: Risk = ({ args }) => {
  const target = args.find(arg => arg.startsWith('of='))?.slice(3);
  return target === undefined || target === '/dev/null' ? undefined : `overwrites ${target}`;
};

const sql: Risk = withWord(
  /\b(?:drop\s+(?:table|database|schema|index|view|user|role)|truncate\s+(?:table\s+)?\w|delete\s+from)\b|\bdropDatabase\(/i,
  'deletes data of a database',
);

const ends: Risk = ({ args }) =>
  args.length === 0 || /^-(?:l|L|0)$/.test(args[0] ?? '') ? undefined : 'ends processes';

const containers: Risk = ({ args }) => {
  const words = operandsIn(args);
  const [object = '', action = ''] = words;
  if (object === 'push') return 'publishes an image';
  if (object === 'rm' || object === 'rmi') return 'deletes containers or images';
  if (object === 'compose' && words.includes('down') && args.some(arg => /^(?:-v|--volumes|--rmi)/.test(arg)))
    return 'deletes volumes or images';
  return /^(?:system|volume|image|container|network|builder)$/.test(object) && /^(?:rm|remove|prune)$/.test(action)
    ? `deletes what ${object} ${action} names`
    : undefined;
};

const publishes = (pattern: RegExp): Risk => withFirst(pattern, 'publishes a package');

/** The risk of a program whose first operand is one of these. */
function withFirst(pattern: RegExp, reason: string): Risk {
  return ({ args }) => (pattern.test(operandsIn(args)[0] ?? '') ? reason : undefined);
}

const removesPackages = withFirst(/^(?:remove|purge|autoremove|erase|del)$/, 'removes packages');
const deletesInCloud = withWord(
  /^(?:delete|destroy|remove|rm|rb|terminate|[\w:]*destroy|(?:delete|terminate|remove)-[\w-]+|--delete)$/,
  'deletes something in the cloud',
);

const gitValueOption = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/;

/** The subcommand of git, and its arguments. */
function getSubcommand(args: readonly string[]): readonly string[] {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (gitValueOption.test(arg)) at++;
    else if (!arg.startsWith('-')) return args.slice(at);
  }
  return [];
}

const git: Risk = ({ args: all }) => {
  const [subcommand = '', ...args] = getSubcommand(all);
  const has = (pattern: RegExp) => args.some(arg => pattern.test(arg));
  const operands = operandsIn(args);
  switch (subcommand) {
    case 'push':
      if (has(/^(?:-\w*n\w*|--dry-run)$/)) return undefined;
      if (has(/^(?:-\w*d\w*|--delete)$/) || operands.some(word => word.startsWith(':')))
        return 'deletes a branch or tag of the remote';
      return has(/^(?:-\w*f\w*|--force\S*|--mirror)$/) || operands.some(word => word.startsWith('+'))
        ? 'overwrites commits of the remote'
        : 'publishes commits';
    case 'reset':
      return has(/^--(?:hard|merge)$/) ? 'discards changes that are not committed' : undefined;
    case 'clean':
      return has(/^(?:-\w*f\w*|--force)$/) && !has(/^(?:-\w*n\w*|--dry-run)$/)
        ? 'deletes files that git does not know'
        : undefined;
    case 'checkout':
      return discardsByCheckout(args, operands) ? 'discards changes that are not committed' : undefined;
    case 'switch':
      return has(/^(?:-f|--force|--discard-changes)$/) ? 'discards changes that are not committed' : undefined;
    case 'restore':
      return has(/^(?:-S|--staged)$/) && !has(/^(?:-W|--worktree)$/)
        ? undefined
        : 'discards changes that are not committed';
    case 'branch':
      return has(/^-\w*D/) || (has(/^(?:-\w*d|--delete)/) && has(/^(?:-\w*f|--force)/))
        ? `deletes the branch ${listNames(operands)}`
        : undefined;
    case 'tag':
      return has(/^(?:-d|--delete)$/) ? `deletes the tag ${listNames(operands)}` : undefined;
    case 'stash':
      return /^(?:drop|clear)$/.test(operands[0] ?? '') ? 'deletes stashed changes' : undefined;
    case 'reflog':
      return /^(?:expire|delete)$/.test(operands[0] ?? '') ? 'deletes old commits' : undefined;
    case 'gc':
    case 'prune':
      return subcommand === 'prune' || has(/^--prune=(?:now|all)$/) ? 'deletes old commits' : undefined;
    case 'filter-branch':
    case 'filter-repo':
      return 'rewrites the history';
    case 'update-ref':
      return has(/^-d$/) ? `deletes ${listNames(operands)}` : undefined;
    case 'worktree':
      return operands[0] === 'remove' && has(/^(?:-f|--force)$/)
        ? `deletes ${listNames(operands.slice(1))}`
        : undefined;
    case 'rm':
      return has(/^(?:-\w*f\w*|--force)$/) && !has(/^--cached$/) ? `deletes ${listNames(operands)}` : undefined;
    default:
      return undefined;
  }
};

/** Returns whether a checkout overwrites files: one of paths does, one of a branch keeps local changes. */
function discardsByCheckout(args: readonly string[], operands: readonly string[]): boolean {
  if (args.some(arg => /^(?:-f|--force)$/.test(arg))) return true;
  if (args.some(arg => /^(?:-[bBt]|--orphan|--track)$/.test(arg))) return false;
  return args.includes('--') || operands.length > 1 || /^\.{1,2}(?:\/|$)|\.[a-z]\w{0,4}$/i.test(operands[0] ?? '');
}

const stopsMachine = always('stops the machine');
const overwritesDisk = always('overwrites a disk');

/** The irreversible effects of programs, by program name. */
export const riskyPrograms: ReadonlyMap<string, Risk> = new Map(
  Object.entries({
    rm: deletes,
    unlink: deletes,
    shred: deletes,
    rimraf: deletes,
    srm: deletes,
    truncate: ({ args }: ProgramCall) => `empties ${listNames(operandsIn(args).slice(-1))}`,
    dd: overwritesByDd,
    mkfs: overwritesDisk,
    mkswap: overwritesDisk,
    wipefs: overwritesDisk,
    blkdiscard: overwritesDisk,
    fdisk: findFirst(({ args }) => (args.includes('-l') ? undefined : 'overwrites a disk')),
    parted: overwritesDisk,
    diskutil: withFirst(/^(?:erase|partition|delete)/i, 'overwrites a disk'),
    chmod: changesRights,
    chown: changesRights,
    chgrp: changesRights,
    kill: ends,
    pkill: ends,
    killall: ends,
    shutdown: stopsMachine,
    reboot: stopsMachine,
    halt: stopsMachine,
    poweroff: stopsMachine,
    sudo: always('runs with the rights of another user'),
    doas: always('runs with the rights of another user'),
    su: always('runs with the rights of another user'),
    pkexec: always('runs with the rights of another user'),
    git,
    cp: writes(operands => operands.slice(1).slice(-1)),
    mv: writes(operands => operands.slice(1).slice(-1)),
    ln: writes(operands => operands.slice(1).slice(-1)),
    install: writes(operands => operands.slice(1).slice(-1)),
    tee: writes(operands => operands),
    rsync: findFirst(
      withWord(/^--(?:delete|del|remove-source-files)/, 'deletes files that its source does not have'),
      writes(operands =>
        operands
          .slice(1)
          .slice(-1)
          .filter(file => !/^[\w.@-]+:/.test(file)),
      ),
    ),
    find: withWord(/^-delete$/, 'deletes the files that it finds'),
    crontab: withWord(/^-\w*r/, 'deletes the scheduled commands'),
    userdel: always('deletes an account'),
    groupdel: always('deletes an account'),
    iptables: withWord(/^(?:-F|--flush|-X)$/, 'removes the rules of the firewall'),
    systemctl: withFirst(/^(?:stop|disable|mask|kill|poweroff|reboot|halt)$/, 'stops a service'),
    service: withWord(/^stop$/, 'stops a service'),
    apt: removesPackages,
    'apt-get': removesPackages,
    dnf: removesPackages,
    yum: removesPackages,
    apk: removesPackages,
    pacman: withWord(/^-R/, 'removes packages'),
    psql: sql,
    mysql: sql,
    mariadb: sql,
    sqlite3: sql,
    mongosh: sql,
    mongo: sql,
    dropdb: always('deletes a database'),
    dropuser: always('deletes an account'),
    'redis-cli': withWord(/^flush(?:all|db)$/i, 'deletes data of a database'),
    prisma: withWord(/^(?:reset|--force-reset)$/, 'deletes data of a database'),
    rails: withWord(/^db:(?:drop|reset|purge)/, 'deletes data of a database'),
    rake: withWord(/^db:(?:drop|reset|purge)/, 'deletes data of a database'),
    docker: containers,
    podman: containers,
    kubectl: withFirst(/^(?:delete|drain)$/, 'deletes something in the cluster'),
    helm: withFirst(/^(?:uninstall|delete)$/, 'deletes something in the cluster'),
    terraform: withWord(/^-?-?destroy$/, 'deletes something in the cloud'),
    tofu: withWord(/^-?-?destroy$/, 'deletes something in the cloud'),
    pulumi: withFirst(/^destroy$/, 'deletes something in the cloud'),
    aws: deletesInCloud,
    gcloud: deletesInCloud,
    gsutil: deletesInCloud,
    az: deletesInCloud,
    heroku: deletesInCloud,
    fly: deletesInCloud,
    flyctl: deletesInCloud,
    gh: ({ args }) =>
      operandsIn(args)[1] === 'delete' ||
      (operandsIn(args)[0] === 'api' && args.some(arg => /^(?:-X)?DELETE$/.test(arg)))
        ? 'deletes something on GitHub'
        : undefined,
    curl: withWord(/^(?:-X|--request=)?DELETE$/, 'sends a request that deletes'),
    npm: publishes(/^(?:publish|unpublish|deprecate)$/),
    pnpm: publishes(/^(?:publish|unpublish)$/),
    yarn: publishes(/^publish$/),
    bun: publishes(/^publish$/),
    cargo: publishes(/^(?:publish|yank)$/),
    gem: publishes(/^(?:push|yank)$/),
    twine: publishes(/^upload$/),
    poetry: publishes(/^publish$/),
    uv: publishes(/^publish$/),
    vsce: publishes(/^publish$/),
  } satisfies Record<string, Risk>),
);
