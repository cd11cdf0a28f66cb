// `repo/stat`: the account's own store as if it were a repository: what it keeps, each block once
// (contract-files 9, 8.6).
// Tested by src/gateway/operations/pin-walks.test.ts
import type { FilesOperation } from '../operation.ts'

/** What Kubo says when there is no limit: 2^64 - 1. */
const unlimited = (1n << 64n) - 1n

export const repoStat: FilesOperation<null> = {
  name: 'repo/stat',
  class: 'read',
  parse: () => null,
  async run(_, { caller, files }) {
    const { blocks, bytes } = files.stored(caller.accountId)
    const quotas = [caller.settings.filesStoredBytes, caller.quotas.filesStoredBytes]
    const limits = quotas.filter((quota) => quota !== null)
    const value = {
      RepoSize: bytes,
      StorageMax: limits.length === 0 ? unlimited : Math.min(...limits),
      NumObjects: blocks,
      RepoPath: '',
      Version: 'fs-repo@18',
    }
    return { kind: 'object', value }
  },
}
