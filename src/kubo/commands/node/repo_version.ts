// `repo/version`: the repository format whose figures `repo/stat` gives.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { KuboCommand } from '../../kubo-command.ts'
import { flagOf } from '../../params/file-options.ts'
import { repoFormat } from './repo_stat.ts'

type RepoVersionInput = { readonly quiet: boolean }

export const repoVersion: KuboCommand<RepoVersionInput> = {
  name: 'repo/version',
  class: 'read',
  parse: ({ options }) => ({ quiet: flagOf(options, 'quiet', false) }),
  async run({ quiet }) {
    const text = () => `${quiet ? '' : 'ipfs repo version '}fs-repo@${repoFormat}\n`
    return { kind: 'object', value: { Version: repoFormat }, text }
  },
}
