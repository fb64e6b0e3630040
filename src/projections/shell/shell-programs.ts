import type { ShellWord } from './shell-word.ts';

/**
 * How a program uses its arguments: `inert` ones never run them, a `tool` has subcommands, a `builtin` evaluates them
 * or changes the shell, a `runner` runs them, a `shell` reads them as a script. Other programs are unknown.
 */
export type ProgramKind = 'inert' | 'tool' | 'builtin' | 'runner' | 'shell' | 'unknown';

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

const shells = toSet('sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell elvish nu xonsh');

const runners = toSet(
  `sudo doas su runuser sg newgrp pkexec env command builtin exec eval nohup nice renice ionice chrt taskset numactl
  time gtime timeout gtimeout stdbuf setsid setarch linux32 linux64 i386 x86_64 uname26 arch setpriv prlimit choom
  capsh xargs gxargs parallel sem watch script flock lckdo setlock chroot fakeroot fakechroot proot unshare nsenter
  bwrap firejail strace ltrace gdb lldb rr perf valgrind hyperfine busybox toybox trap alias hash coproc noglob
  nocorrect - caffeinate unbuffer expect rlwrap systemd-run systemd-inhibit dbus-run-session dbus-launch at batch
  crontab entr ssh sshpass ssh-agent mosh npx bunx pnpx uvx pipx tmux screen dtach abduco zellij xvfb-run xterm
  start-stop-daemon daemonize run-parts chronic ifne pee mispipe cpulimit trickle torsocks torify proxychains
  faketime eatmydata runcon cgexec aa-exec catchsegv cross-env dotenv direnv nodemon concurrently mpirun mpiexec srun
  qemu wine open osascript chpst softlimit envdir setuidgid logsave ld.so`,
);

/** Builtins that evaluate their arguments or change what later words and commands mean. */
const builtins = toSet(
  `. source read declare typeset local export readonly unset let mapfile readarray wait bind complete compgen compopt
  fc history enable getopts set shopt unalias setopt unsetopt zmodload autoload zle vared print integer float functions
  emulate sched zcompile zformat zparseopts zstyle disable limit bindkey compdef exit logout bye return break continue
  shift pushd popd dirs ulimit umask fg bg disown suspend`,
);

const inert = toSet(
  `ls cat echo pwd cd head tail wc grep egrep fgrep uniq cut tr nl tac rev od xxd hexdump strings paste column fold
  basename dirname realpath readlink stat du df file tree cmp comm diff md5sum sha1sum sha224sum sha256sum sha384sum
  sha512sum b2sum cksum base64 base32 mkdir rmdir touch cp mv ln rm unlink shred truncate chmod chown chgrp mktemp
  sleep true false : date whoami id groups uname hostname tty nproc uptime free ps kill which seq jq dd tee`,
);

/** Subcommands of git that run none of their arguments. */
const inertGit = toSet(
  `status log diff show add commit rm mv restore checkout switch branch tag stash reset blame ls-files ls-tree rev-parse
  rev-list describe shortlog cat-file reflog`,
);

/** Programs whose first argument is a subcommand, also where a command has the same name. */
const tools = toSet(
  `git npm pnpm yarn bun deno node docker podman kubectl helm cargo go pip uv poetry bundle gem brew apt apt-get dnf yum
  apk pacman systemctl service gh glab aws gcloud az terraform make gmake ninja just task rake gradle gradlew mvn dotnet
  swift mix rails composer conda nix`,
);

/** Tools that run a program of the name when they know no such subcommand. */
const fallbackTools = toSet('pnpm yarn bun');
const ownSubcommands = toSet('ls rm install link unlink');

const others = toSet(
  `curl wget nc ncat socat telnet ftp tftp scp sftp rsync python perl ruby php lua tclsh java Rscript awk gawk mawk sed
  ed ex vi vim nvim emacs nano less more man tar zip unzip gzip gunzip bzip2 xz sort split install mkfs fdisk mount
  umount pkill killall reboot shutdown halt poweroff useradd usermod userdel passwd chsh iptables nft insmod modprobe
  gcc cc ld m4 openssl gpg xclip pbcopy mail sendmail mysql psql sqlite3 find fd fdfind rg tsx ts-node`,
);

/** Names of commands that mean something else in many arguments. */
const ordinaryWords = toSet(
  ': . - true false time file date id open print read set local limit watch script task just',
);

const finders: ReadonlyMap<string, RegExp> = new Map([
  ...['find', 'gfind'].map(name => [name, /^-(exec|ok|delete|fprint|fls)/] as const),
  ...['fd', 'fdfind'].map(name => [name, /^(-[^-]*[xX]|--exec)/] as const),
  ...['rg', 'ripgrep'].map(name => [name, /^(--(pre|hostname-bin|search-zip)|-[^-]*z)/] as const),
]);

/** The last part of a path: `/bin/rm` is `rm`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns whether the first argument is a subcommand of the tool, even when a command has the same name. */
export function isSubcommand(tool: string, word: string): boolean {
  return !fallbackTools.has(nameIn(tool)) || ownSubcommands.has(word);
}

/** Whether a word names a shell. */
export function isShellName(word: string): boolean {
  return shells.has(nameIn(word));
}

/** Returns how the program of these words uses its arguments. */
export function kindOfProgram([name, ...args]: readonly ShellWord[]): ProgramKind {
  const path = name?.value ?? '';
  const base = nameIn(path);
  if (shells.has(base)) return 'shell';
  if (runners.has(base) || /^(ld-linux|qemu-)/.test(base)) return 'runner';
  if (builtins.has(base)) return 'builtin';
  const acting = finders.get(base);
  if (acting !== undefined) return args.some(word => word.open || acting.test(word.value)) ? 'runner' : 'inert';
  const isSystem = /^((\/usr)?\/bin\/)?[^/]+$/.test(path);
  if (['printf', 'test', '['].includes(base)) return isSystem && !evaluates(base, args) ? 'inert' : 'builtin';
  if (isSystem && inert.has(base)) return 'inert';
  if (isSystem && base === 'git' && args[0]?.open === false && inertGit.has(args[0].value)) return 'inert';
  return tools.has(base) ? 'tool' : 'unknown';
}

/** Whether a word, without its quotes, is the name of a known command. */
export function isCommandName(word: string): boolean {
  const name = nameIn(word);
  if (ordinaryWords.has(name)) return false;
  return [shells, runners, inert, tools, others].some(names => names.has(name));
}

/** Whether a word names a program that runs commands only behind some options. */
export function isFinderName(word: string): boolean {
  return finders.has(nameIn(word));
}

/** The name under which a program is listed: `/usr/bin/Python3.11` is `python`. */
function nameIn(path: string): string {
  const name = baseName(path).toLowerCase();
  if (name.length > 64 || runners.has(name) || inert.has(name) || others.has(name)) return name;
  return name.replace(/[-_.]?\d[\d.]*$/, '') || name;
}

/** `printf -v` and `test -v` evaluate the index of a name, and zsh evaluates numbers as arithmetic. */
function evaluates(name: string, args: readonly ShellWord[]): boolean {
  const own = name === '[' && args.at(-1)?.value === ']' ? args.slice(0, -1) : args;
  return own.some(
    (word, index) =>
      word.open ||
      /[[$`]|\w\s*[-+*/%&|^<>]*=|\+\+|--/.test(word.value) ||
      (name === 'printf' ? index === 0 && word.value.startsWith('-') : /^-[vR]$/.test(word.value)),
  );
}
