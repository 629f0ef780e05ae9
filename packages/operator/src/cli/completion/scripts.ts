/**
 * Completion scripts. They ask `reloader __complete` for candidates, in the protocol of kubectl and its plugins: one
 * candidate in a line, with a description after a tab, and a last line `:N` whose bits say how to continue (2: no space
 * after it, 4: no file names).
 */
export function completionScript(shell: 'bash' | 'zsh' | 'fish'): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}

const BASH = `# bash completion for reloader: source <(reloader completion bash)
_reloader() {
  local lines line directive
  lines="$(reloader __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return
  directive="\${lines##*:}"
  COMPREPLY=()
  while IFS= read -r line; do
    [[ "$line" == :* || -z "$line" ]] || COMPREPLY+=("\${line%%$'\\t'*}")
  done <<< "$lines"
  (( directive & 2 )) && compopt -o nospace
  (( directive & 4 )) || compopt -o default
  return 0
}
COMP_WORDBREAKS="\${COMP_WORDBREAKS//:/}"
complete -F _reloader reloader
`;

const ZSH = `#compdef reloader
# zsh completion for reloader: source <(reloader completion zsh)
_reloader() {
  local -a candidates
  local lines line directive
  lines="$(reloader __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)" || return
  directive="\${lines##*:}"
  for line in "\${(@f)lines}"; do
    [[ "$line" == :* || -z "$line" ]] && continue
    line="\${line//:/\\\\:}"
    candidates+=("\${line/$'\\t'/:}")
  done
  if (( directive & 2 )); then _describe 'reloader' candidates -S ''; else _describe 'reloader' candidates; fi
  (( directive & 4 )) || _files
}
compdef _reloader reloader
`;

const FISH = `# fish completion for reloader: reloader completion fish | source
function __reloader_complete
  set -l words (commandline -opc) (commandline -ct)
  reloader __complete $words[2..-1] 2>/dev/null | string match -v -r '^:'
end
complete -c reloader -f -a '(__reloader_complete)'
complete -c reloader -n '__fish_seen_subcommand_from lint migrate' -F
`;
