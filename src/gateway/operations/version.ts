// `version`: the Kubo release whose wire we speak, because clients choose their forms by it (contract-files 9).
// Tested by src/gateway/operations/files-index.test.ts
import type { FilesOperation } from '../operation.ts'

const wireVersion = '0.43.0'
const goNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', win32: 'windows' }
const goName = (name: string): string => goNames[name] ?? name

/** `cairnVersion`: of Cairn; shown as the commit. */
export function createVersion(cairnVersion: string): FilesOperation<null> {
  return {
    name: 'version',
    class: 'read',
    parse() {
      return null
    },
    async run() {
      const value = {
        Version: wireVersion,
        Commit: `cairn-${cairnVersion}`,
        Repo: '18',
        System: `${goName(process.arch)}/${goName(process.platform)}`,
        Golang: `node${process.version.slice(1)}`,
      }
      return { kind: 'object', value }
    },
  }
}
