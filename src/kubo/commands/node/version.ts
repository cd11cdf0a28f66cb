// `version`: the Kubo release whose API Cairn implements, because clients adapt to it.
// Tested by src/kubo/commands/index.test.ts
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'

const wireVersion = '0.43.0'
const goNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', win32: 'windows' }
const goName = (name: string): string => goNames[name] ?? name

/** The members that the text reply contains; JSON always contains all. */
type VersionInput = {
  readonly number: boolean
  readonly commit: boolean
  readonly repo: boolean
  readonly all: boolean
}

type Shown = {
  readonly Version: string
  readonly Commit: string
  readonly Repo: string
  readonly System: string
  readonly Golang: string
}

const declared = {
  number: flag('number', { alias: 'n' }),
  commit: flag('commit'),
  repo: flag('repo'),
  all: flag('all'),
}

/** `cairnVersion`: version of Cairn, shown as the commit. */
export function createVersion(cairnVersion: string): KuboCommand<VersionInput> {
  return {
    name: 'version',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => ({
      number: valueOf(options, declared.number),
      commit: valueOf(options, declared.commit),
      repo: valueOf(options, declared.repo),
      all: valueOf(options, declared.all),
    }),
    async run(input) {
      const value = {
        Version: wireVersion,
        Commit: `cairn-${cairnVersion}`,
        Repo: '18',
        System: `${goName(process.arch)}/${goName(process.platform)}`,
        Golang: `node${process.version.slice(1)}`,
      }
      return { kind: 'object', value, text: () => asText(input, value) }
    },
  }
}

function asText({ number, commit, repo, all }: VersionInput, shown: Shown): string {
  const { Version, Commit, Repo, System, Golang } = shown
  const fullVersion = commit || all ? `${Version}-${Commit}` : Version
  if (all) {
    return `Kubo version: ${fullVersion}\nRepo version: ${Repo}\nSystem version: ${System}\nGolang version: ${Golang}\n`
  }
  if (repo) return `${Repo}\n`
  return number ? `${fullVersion}\n` : `ipfs version ${fullVersion}\n`
}
