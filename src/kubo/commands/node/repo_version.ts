// `repo/version`: the repository format that `repo/stat` reports.
// Tested by src/kubo/commands/node/node-commands.test.ts
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { repoFormat } from './repo_stat.ts'

type RepoVersionInput = { readonly quiet: boolean }

const declared = {
  quiet: flag('quiet', { alias: 'q' }),
}

export const repoVersion: KuboCommand<RepoVersionInput> = {
  name: 'repo/version',
  class: 'read',
  argument: null,
  body: 'none',
  options: Object.values(declared),
  parse: ({ options }) => ({ quiet: valueOf(options, declared.quiet) }),
  async run({ quiet }) {
    const text = () => `${quiet ? '' : 'ipfs repo version '}fs-repo@${repoFormat}\n`
    return { kind: 'object', value: { Version: repoFormat }, text }
  },
}
