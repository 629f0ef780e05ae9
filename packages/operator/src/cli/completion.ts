/** Completion scripts, made from the commands themselves. */
import type { Command } from 'commander';

const WORKLOAD_KINDS = ['deployment/', 'statefulset/', 'daemonset/', 'cronjob/', 'job/'];
const SOURCE_KINDS = ['secret/', 'configmap/'];
/** What the words after these commands begin with. */
const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  explain: WORKLOAD_KINDS,
  history: WORKLOAD_KINDS,
  freeze: WORKLOAD_KINDS,
  unfreeze: WORKLOAD_KINDS,
  'what-if': SOURCE_KINDS,
  completion: ['bash', 'zsh', 'fish'],
};

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly words: readonly string[];
}

export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const commands = program.commands.map(
    (command): Completed => ({
      name: command.name(),
      summary: command.summary() || command.description(),
      words: [
        ...(OBJECTS[command.name()] ?? []),
        ...command.options.flatMap(({ short, long }) =>
          [short, long].filter((each) => each !== undefined && each !== null),
        ),
        '--help',
      ],
    }),
  );
  return { bash, zsh, fish }[shell](commands);
}

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, words }) => `    ${name}) words="${words.join(' ')}" ;;`);
  return `# bash completion for reloader: source <(reloader completion bash)
_reloader() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ "\${COMPREPLY[0]}" == */ ]] && compopt -o nospace
  return 0
}
complete -o default -F _reloader reloader
`;
}

function zsh(commands: readonly Completed[]): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = commands.map(({ name, words }) => `    ${name}) compadd -S '' -- ${words.join(' ')} ;;`);
  return `#compdef reloader
# zsh completion for reloader: source <(reloader completion zsh)
_reloader() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
  _files
}
compdef _reloader reloader
`;
}

function fish(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap(({ name, summary, words }) => [
    `complete -c reloader -n 'not __fish_seen_subcommand_from ${names}' -f -a ${name} -d '${quoted(summary)}'`,
    `complete -c reloader -n '__fish_seen_subcommand_from ${name}' -a '${words.join(' ')}'`,
  ]);
  return `# fish completion for reloader: reloader completion fish | source\n${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("'", '').replaceAll(':', ',');
}
