// The URL at which a browser on this machine opens added content, if the server serves it there.
// Tested by test/cli/add-get.test.ts
import { systemClock } from '../../base/clock.ts'
import { isLoopback } from '../../base/addresses.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import { labelOfRoot } from '../../ipfs-gateway/content-host.ts'
import { createHttpClient } from '../../ipfs/sources/http-client.ts'
import { localContentHost } from '../../server/private-server.ts'

const timeoutMs = 2_000
/** Maximum length of a block. */
const replyBytesMax = 4 * 1024 * 1024

/** `url`: URL of the server. Null: the server is remote, or does not serve `cid` without a key. Never rejects. */
export async function findContentLink(url: string, cid: string): Promise<string | null> {
  const { hostname, port, origin, protocol } = new URL(url)
  const root = parseCid(cid)
  if (root === null || protocol !== 'http:' || !isLoopback(hostname)) return null
  const authority = port === '' ? localContentHost : `${localContentHost}:${port}`
  const client = createHttpClient({ url: origin, headers: {}, connections: 1, clock: systemClock })
  try {
    const headers = { host: `${labelOfRoot(root)}.ipfs.${authority}` }
    const request = { method: 'GET', path: '/', query: [['format', 'raw']], headers } as const
    const never = new AbortController().signal
    const { status } = await client.send({ ...request, replyBytesMax, timeoutMs }, never)
    return status === 200 ? `http://${authority}/ipfs/${cid}` : null
  } catch {
    return null
  } finally {
    await client.close()
  }
}
