// Completion scripts for three shells. Each finds the command from the typed words and offers its subcommands and options, or files
// and folders after an option that takes one.
// Tested by src/cli/commands/completion.test.ts
import type { Branch } from './command-tree.ts'

/** For bash 4 and newer; does not need the bash-completion package. */
export function bashScript(branches: readonly Branch[]): string {
  const after = (value: string) =>
    flagNames(branches, value).length === 0
      ? 'no-such-option'
      : flagNames(branches, value).join('|')
  return `# bash completion for cairn
_cairn() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' offer='' at
  case $before in
    ${after('file')}) mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames 2>/dev/null; return ;;
    ${after('folder')}) mapfile -t COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames 2>/dev/null; return ;;
    ${after('other')}) COMPREPLY=(); return ;;
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path \${COMP_WORDS[at]}" in
${paths(branches)
  .map((path) => `      ' ${path}') path=' ${path}' ;;`)
  .join('\n')}
    esac
  done
  case $path in
${branches.map((branch) => `    '${branch.path === '' ? '' : ` ${branch.path}`}') offer='${offers(branch).join(' ')}' ;;`).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$offer" -- "$word")
}
complete -F _cairn cairn
`
}

// zsh binds the variable `path` to the command search path, hence `typed`.
/** For zsh: a file \`_cairn\` on \`fpath\`, or evaluated after \`compinit\`. */
export function zshScript(branches: readonly Branch[]): string {
  return `#compdef cairn
# zsh completion for cairn
_cairn() {
  local typed='' before=\${words[CURRENT-1]} at
  local -a offer
  case $before in
${[
  ...flagNames(branches, 'file').map((name) => `    ${name}) _files; return ;;`),
  ...flagNames(branches, 'folder').map((name) => `    ${name}) _files -/; return ;;`),
  ...flagNames(branches, 'other').map((name) => `    ${name}) return ;;`),
].join('\n')}
  esac
  for ((at = 2; at < CURRENT; at++)); do
    case "$typed \${words[at]}" in
${paths(branches)
  .map((path) => `      ' ${path}') typed=' ${path}' ;;`)
  .join('\n')}
    esac
  done
  case $typed in
${branches
  .map(
    ({ path, commands, flags }) =>
      `    '${path === '' ? '' : ` ${path}`}') offer=(${[...commands, ...flags]
        .map(({ name, description }) => quote(`${name}:${description.replaceAll(':', '\\:')}`))
        .join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  _describe cairn offer
}
if [ "$funcstack[1]" = _cairn ]; then _cairn "$@"; else compdef _cairn cairn; fi
`
}

/** For fish 3 and newer. */
export function fishScript(branches: readonly Branch[]): string {
  const lines = branches.flatMap(({ path, commands, flags }) => {
    const where = quote(`__cairn_at ${path}`.trim())
    return [
      ...commands.map(
        ({ name, description }) =>
          `complete -c cairn -f -n ${where} -a ${name} -d ${quote(description)}`,
      ),
      ...flags.map(({ name, value, description }) => {
        const takes = { none: '', file: ' -r -F', folder: ' -x -a "(__fish_complete_directories)"' }
        const argument = value === 'other' ? ' -x' : takes[value]
        return `complete -c cairn -n ${where} -l ${name.slice(2)}${argument} -d ${quote(description)}`
      }),
    ]
  })
  return `# fish completion for cairn
complete -c cairn -f
function __cairn_at
  set -l path
  for word in (commandline -opc)[2..-1]
    switch (string join ' ' $path $word)
${paths(branches)
  .map((path) => `      case ${quote(path)}\n        set path $path $word`)
  .join('\n')}
    end
  end
  test "$path" = "$argv"
end
${lines.join('\n')}
`
}

function paths(branches: readonly Branch[]): readonly string[] {
  return branches.flatMap(({ path }) => (path === '' ? [] : [path]))
}

function offers({ commands, flags }: Branch): readonly string[] {
  return [...commands, ...flags].map(({ name }) => name)
}

function flagNames(branches: readonly Branch[], value: string): readonly string[] {
  const names = branches.flatMap(({ flags }) =>
    flags.flatMap((flag) => (flag.value === value ? [flag.name] : [])),
  )
  return [...new Set(names)]
}

// Works in all three shells for text without line breaks: close the quotes, add an escaped quote, reopen them.
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
