import { childVariable } from './process-marks.ts';

/**
 * The guard, for any POSIX shell. It reads from its owner which children exist (`start <number>`, `group <number>
 * <id>`, `end <number>`), and which processes may continue (`spare <id>`). When that input ends, its owner is
 * gone: it ends the process groups of the remaining children, and on Linux also processes that left a group and still
 * carry its mark. It sends SIGTERM, and SIGKILL to what is alive a second later; first to the children themselves, then to
 * what they started: a program whose command ended before it would continue to run. It does not wait for processes that
 * have ended and were not yet reaped.
 */
export const guardScript = `
trap '' INT TERM HUP QUIT PIPE
owner=$1
children=' '
spared=' '
drop() {
  rest=\${children#* $1:}
  [ "$rest" = "$children" ] || children="\${children%% $1:*} \${rest#* }"
}
marked() {
  [ -r /proc/self/environ ] || return 0
  set --
  for child in $children; do set -- "$@" -e "${childVariable}=$owner.\${child%%:*}."; done
  grep -zlF "$@" /proc/[0-9]*/environ | while read -r file; do
    file=\${file#/proc/}
    file=\${file%/environ}
    case $spared in *" $file "*) ;; *) echo "$file" ;; esac
  done
}
signal() {
  for child in $children; do
    group=\${child#*:}
    [ -z "$group" ] || kill "-$1" "-$group"
  done
  for process in $(marked); do kill "-$1" "$process"; done
}
lead() {
  for child in $children; do
    group=\${child#*:}
    [ -z "$group" ] || kill "-$1" "$group"
  done
}
led() {
  for child in $children; do
    group=\${child#*:}
    [ -n "$group" ] && kill -0 "$group" || continue
    [ -r /proc/self/stat ] || return 0
    ! grep -qE "\\) [^XZ] " "/proc/$group/stat" || return 0
  done
  return 1
}
works() {
  kill -0 "-$1" || return 1
  [ ! -r /proc/self/stat ] || grep -qE "\\) [^XZ] [0-9]+ $1 " /proc/[0-9]*/stat
}
remain() {
  for child in $children; do
    group=\${child#*:}
    if [ -z "$group" ]; then [ "$round" -ge 5 ] || return 0
    elif works "$group"; then return 0
    fi
  done
  [ -n "$(marked)" ]
}
while read -r event child group; do
  case $event in
    start) children="$children$child: " ;;
    group) drop "$child"; children="$children$child:$group " ;;
    end) drop "$child" ;;
    spare) spared="$spared$child " ;;
  esac
done
[ "$children" != ' ' ] || exit 0
round=0
rest=''
lead TERM
while remain && [ "$round" -lt 100 ]; do
  [ -n "$rest" ] || [ "$round" -lt 10 ] || lead KILL
  if [ -n "$rest" ]; then [ "$round" -lt "$rest" ] || signal KILL
  elif [ "$round" -ge 10 ] || ! led; then
    signal TERM
    rest=$((round + 10))
  fi
  sleep 0.1 || sleep 1
  round=$((round + 1))
done
`;
