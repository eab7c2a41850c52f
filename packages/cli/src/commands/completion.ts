/** Completion scripts. They hold no knowledge themselves: the shell asks `hostwright complete` each time. */
import type { Invocation } from '../invocation.ts';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_hostwright() {
  local IFS=$'\\n'
  COMPREPLY=($(hostwright complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ "\${COMPREPLY[0]}" = ":files" ]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _hostwright hostwright
`,
  zsh: `#compdef hostwright
_hostwright() {
  local -a found
  found=("\${(@f)$(hostwright complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" = ":files" ]]; then
    _files
  else
    compadd -a found
  fi
}
if [ "\${funcstack[1]}" = "_hostwright" ]; then _hostwright "$@"; else compdef _hostwright hostwright; fi
`,
  fish: `function __hostwright_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (hostwright complete -- $words[2..-1] 2>/dev/null)
  if test "$found[1]" = ":files"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c hostwright -f -a '(__hostwright_complete)'
`,
};

export const run = (call: Invocation): Promise<void> => {
  const script = SCRIPTS[call.arg('shell')] ?? '';
  if (call.out.json) call.out.answer({ script }, () => {});
  else call.out.raw(script);
  return Promise.resolve();
};
