// `repo/stat` and its alias `stats/repo`: the blocks of the account as if they were a separate repository, each block once.
// Tested by src/kubo/commands/pins/pin-walks.test.ts
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'

/** Repository format of Kubo 0.43. */
export const repoFormat = '18'

/** The value that Kubo reports if there is no limit: 2^64 - 1. */
const unlimited = (1n << 64n) - 1n

type RepoStatInput = { readonly sizeOnly: boolean }

const declared = {
  sizeOnly: flag('size-only'),
}

function createRepoStat(name: 'repo/stat' | 'stats/repo'): KuboCommand<RepoStatInput> {
  return {
    name,
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => ({ sizeOnly: valueOf(options, declared.sizeOnly) }),
    async run({ sizeOnly }, { caller, files }) {
      const { blocks, bytes } = await files.stored(caller.accountId)
      const quotas = [caller.settings.filesStoredBytes, caller.quotas.filesStoredBytes]
      const limits = quotas.filter((quota) => quota !== null)
      const value = {
        RepoSize: bytes,
        StorageMax: limits.length === 0 ? unlimited : Math.min(...limits),
        NumObjects: sizeOnly ? 0 : blocks,
        RepoPath: '',
        Version: sizeOnly ? '' : `fs-repo@${repoFormat}`,
      }
      const sizes = `RepoSize:   ${value.RepoSize}\nStorageMax: ${value.StorageMax}\n`
      const text = () =>
        sizeOnly
          ? sizes
          : `NumObjects: ${blocks}\n${sizes}RepoPath:   ${value.RepoPath}\nVersion:    ${value.Version}\n`
      return { kind: 'object', value, text }
    },
  }
}

export const repoStat = createRepoStat('repo/stat')
export const statsRepo = createRepoStat('stats/repo')
