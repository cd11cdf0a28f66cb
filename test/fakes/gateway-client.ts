// Client of `/ipfs/<cid>` over a real socket: a server with content, and requests as curl sends them.
import type { TestContext } from 'node:test'
import type { UploadEntry } from '../../src/ipfs/import/upload-entry.ts'
import type { ImportOptions } from '../../src/ipfs/import/upload-entry.ts'
import { type FilesServer, startFilesServer } from './files/files-server.ts'
import { importAll, rootOf } from './files/files-fixture.ts'

export type GatewayClient = {
  readonly server: FilesServer
  readonly account: { readonly key: string; readonly secret: string }
  readonly basic: string
  /** Adds as the account and returns the root. */
  add(entries: Iterable<UploadEntry>, options?: Partial<ImportOptions>): Promise<string>
  /** `path`: the part after `/ipfs/`. With the account's key unless `headers` contain another one (`authorization: ''`: none). */
  get(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Response>
}

export async function startPathReader(
  t: TestContext,
  options: Parameters<typeof startFilesServer>[1] = {},
): Promise<GatewayClient> {
  const server = await startFilesServer(t, options)
  const account = server.newAccount()
  const basic = `Basic ${Buffer.from(`${account.key}:${account.secret}`).toString('base64')}`
  return {
    server,
    account,
    basic,
    async add(entries, changes = {}) {
      const events = await importAll(server.files, entries, changes, account.key)
      return rootOf(events).cid.toString()
    },
    async get(path, headers = {}, method = 'GET') {
      const { authorization = basic, ...rest } = headers
      return await fetch(`${server.url}/ipfs/${path}`, {
        method,
        redirect: 'manual',
        headers: { ...rest, ...(authorization === '' ? {} : { authorization }) },
      })
    },
  }
}

/** A CID without content. */
export const absentCid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
